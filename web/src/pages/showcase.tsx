/** A small game that plays itself beside the first page. */

import { useSignal } from "@preact/signals";
import type { FunctionComponent } from "preact";
import { useEffect, useRef } from "preact/hooks";

/** It is fetched and drawn, and goes on, where it is seen: on a phone it is below everything else. */
export function Showcase() {
  const place = useRef<HTMLDivElement>(null);
  const seen = useSignal(false);
  const game = useSignal<{ Playing: FunctionComponent<{ on: boolean }> } | null>(null);
  useEffect(() => {
    const watch = new IntersectionObserver((entries) => {
      seen.value = entries.some((entry) => entry.isIntersecting);
      if (!seen.value || game.value) return;
      import("../board/playing").then(
        (module) => {
          game.value = module;
        },
        // It is only there to be looked at.
        () => undefined,
      );
    });
    if (place.current) watch.observe(place.current);
    return () => watch.disconnect();
  }, [seen, game]);
  return (
    <div ref={place} class="showcase">
      {game.value ? <game.value.Playing on={seen.value} /> : <div class="space" />}
    </div>
  );
}
