/** Pages by address, without a load in between. */

import { signal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";

/** The address of the page: path and query. */
export const address = signal(here());

function here(): { path: string; query: URLSearchParams } {
  return { path: location.pathname, query: new URLSearchParams(location.search) };
}

addEventListener("popstate", () => {
  address.value = here();
});

/** Goes to another page of ours. */
export function go(to: string, replace = false): void {
  if (replace) history.replaceState(null, "", to);
  else history.pushState(null, "", to);
  address.value = here();
  if (!location.hash) scrollTo(0, 0);
}

type LinkProps = Omit<JSX.AnchorHTMLAttributes<HTMLAnchorElement>, "href"> & {
  to: string;
  children: ComponentChildren;
};

/** A link to another page of ours; with a modifier key the browser opens it as ever. */
export function Link({ to, children, ...rest }: LinkProps) {
  const follow = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    go(to);
  };
  const current = address.value.path === to ? "page" : undefined;
  return (
    <a {...rest} href={to} onClick={follow} aria-current={current}>
      {children}
    </a>
  );
}
