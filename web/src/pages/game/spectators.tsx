/** How many look on. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { games } from "../../api/clients";
import { t } from "../../i18n/text";
import { Icon } from "../../ui/parts";

/** How often they are counted, in milliseconds. */
const EVERY = 10_000;

export function Spectators({ id, watchKey }: { id: string; watchKey: string }) {
  const count = useSignal(0);
  useEffect(() => {
    const look = async () => {
      if (document.visibilityState === "hidden") return;
      try {
        count.value = (await games.countSpectators({ gameId: id, watchKey })).spectators;
      } catch {
        // The bar says what goes on with the connection.
      }
    };
    void look();
    const timer = setInterval(look, EVERY);
    return () => clearInterval(timer);
  }, [id, watchKey, count]);
  if (count.value === 0) return null;
  return (
    <span class="spectators">
      <Icon name="eye" /> {t("game.spectators", { n: count.value })}
    </span>
  );
}
