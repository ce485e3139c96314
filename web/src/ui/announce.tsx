/** What screen readers hear. */

import { signal } from "@preact/signals";

const polite = signal<{ text: string; turn: number }>({ text: "", turn: 0 });
const assertive = signal<{ text: string; turn: number }>({ text: "", turn: 0 });

/** Says something; `now` interrupts what is being said. */
export function announce(text: string, now = false): void {
  const region = now ? assertive : polite;
  region.value = { text, turn: region.value.turn + 1 };
}

/** The two live regions. The same words twice are said twice: a space makes them differ. */
export function Announcer() {
  const say = ({ text, turn }: { text: string; turn: number }) => (turn % 2 === 0 ? text : `${text}\u00a0`);
  return (
    <>
      <div class="unseen" role="status" aria-live="polite" data-said="polite">
        {say(polite.value)}
      </div>
      <div class="unseen" role="alert" aria-live="assertive" data-said="assertive">
        {say(assertive.value)}
      </div>
    </>
  );
}
