/** The first page is there at once; what it needs to call the server comes after that. */

/** So long it waits when nobody touches anything, in milliseconds. */
const LATER = 1_500;

let used: Promise<void> | null = null;

/** When the page is first touched, typed on or pointed at, or a moment after it came. */
export function firstUse(): Promise<void> {
  used ??= new Promise((resolve) => {
    const once = () => resolve();
    for (const kind of ["pointerdown", "pointermove", "keydown", "focusin"]) {
      addEventListener(kind, once, { once: true, passive: true });
    }
    setTimeout(once, LATER);
  });
  return used;
}
