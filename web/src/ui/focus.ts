/** Keeps the focus: when what has it goes away, and nothing else takes it, the heading of the page does. */

import { focusHeading } from "./parts";

const none = () => document.activeElement === null || document.activeElement === document.body;

/** What had the focus last, if nobody took it away on purpose. */
let last: Element | null = none() ? null : document.activeElement;

addEventListener("focusin", ({ target }) => {
  last = target instanceof Element ? target : null;
});

addEventListener("focusout", ({ target }) => {
  // Some browsers say so as well when it is taken out of the page, which is not there yet then.
  queueMicrotask(() => {
    if (last === target && last?.isConnected) last = null;
  });
});

new MutationObserver(() => {
  if (!last || last.isConnected || !none()) return;
  last = null;
  focusHeading();
}).observe(document.body, { childList: true, subtree: true });
