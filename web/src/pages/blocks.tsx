/** Whom one never wants to meet. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { blocks } from "../api/challenges";
import type { BlockedPlayer } from "../gen/nigiri/matchmaking/v1/challenge_service_pb";
import { t } from "../i18n/text";
import { errorText, Problem } from "../ui/parts";
import { Link } from "../ui/router";

/** Whom one blocks; null until it is known. */
function useBlocked() {
  const blocked = useSignal<BlockedPlayer[] | null>(null);
  const problem = useSignal("");
  const load = async () => {
    try {
      blocked.value = (await blocks.listBlockedPlayers({})).blocked;
      problem.value = "";
    } catch (error) {
      problem.value = errorText(error);
    }
  };
  useEffect(() => {
    void load();
  }, []);
  const change = async (call: () => Promise<unknown>) => {
    try {
      await call();
      await load();
    } catch (error) {
      problem.value = errorText(error);
    }
  };
  const block = (playerId: string) =>
    change(() => blocks.blockPlayer({ player: { case: "playerId", value: playerId } }));
  const unblock = (playerId: string) => change(() => blocks.unblockPlayer({ playerId }));
  return { blocked, problem, block, unblock };
}

/** On a player's page. */
export function BlockButton({ id }: { id: string }) {
  const { blocked, problem, block, unblock } = useBlocked();
  if (blocked.value === null) return <Problem text={problem.value} />;
  const on = blocked.value.some(({ playerId }) => playerId === id);
  return (
    <div class="row">
      <button type="button" title={t("block.text")} onClick={() => void (on ? unblock(id) : block(id))}>
        {t(on ? "block.off" : "block.on")}
      </button>
      {on && <span class="quiet">{t("block.text")}</span>}
      <Problem text={problem.value} />
    </div>
  );
}

/** In the settings; nothing while one blocks nobody. */
export default function Blocked() {
  const { blocked, problem, unblock } = useBlocked();
  if (!blocked.value || blocked.value.length === 0) return <Problem text={problem.value} />;
  return (
    <section aria-labelledby="blocked">
      <h2 id="blocked">{t("block.title")}</h2>
      <p class="quiet">{t("block.text")}</p>
      <Problem text={problem.value} />
      <ul class="blocked">
        {blocked.value.map(({ playerId, name }) => (
          <li key={playerId} class="row">
            <Link to={`/player/${playerId}`}>{name}</Link>
            <button type="button" class="plain" onClick={() => void unblock(playerId)}>
              {t("block.off")}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
