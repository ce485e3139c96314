/** The strongest players of each board. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ratings } from "../api/clients";
import { session } from "../api/session";
import { sizeText } from "../game/kinds";
import type { Leader } from "../gen/nigiri/rating/v1/rating_service_pb";
import { number, t } from "../i18n/text";
import { Choice, errorText, PageTitle, Problem, Switch } from "../ui/parts";
import { Link } from "../ui/router";

export default function Leaders() {
  const size = useSignal(9);
  const provisional = useSignal(false);
  const page = useSignal<{ leaders: Leader[]; next: string } | null>(null);
  const problem = useSignal("");
  const known = session.value !== null;
  const load = async (pageToken: string) => {
    try {
      const request = {
        boardSize: size.value,
        pageSize: 50,
        pageToken,
        includeProvisional: provisional.value,
      };
      const answer = await ratings.listLeaders(request);
      const before = pageToken && page.value ? page.value.leaders : [];
      page.value = { leaders: [...before, ...answer.leaders], next: answer.nextPageToken };
      problem.value = "";
    } catch (error) {
      problem.value = errorText(error);
    }
  };
  useEffect(() => {
    page.value = null;
    if (known) void load("");
  }, [known, size.value, provisional.value]);
  return (
    <div class="narrow">
      <PageTitle title={t("leaders.title")}>{t("leaders.title")}</PageTitle>
      <Choice
        legend={t("home.board")}
        value={size.value}
        onChange={(value) => (size.value = value)}
        options={[9, 13, 19].map((value) => ({ value, text: sizeText(value) }))}
      />
      <Switch
        text={t("leaders.provisional")}
        on={provisional.value}
        onChange={(on) => (provisional.value = on)}
      />
      <Problem text={problem.value} />
      {!known && <p>{t("watch.signIn")}</p>}
      {page.value?.leaders.length === 0 && <p class="quiet">{t("leaders.none")}</p>}
      {page.value && page.value.leaders.length > 0 && <Lines leaders={page.value.leaders} />}
      {page.value?.next && (
        <button type="button" onClick={() => void load(page.value?.next ?? "")}>
          {t("more")}
        </button>
      )}
    </div>
  );
}

function Lines({ leaders }: { leaders: Leader[] }) {
  const me = session.value?.id;
  return (
    <table class="leaders">
      <thead>
        <tr>
          <th scope="col">{t("leaders.rank")}</th>
          <th scope="col">{t("leaders.player")}</th>
          <th scope="col">{t("leaders.rating")}</th>
          <th scope="col">{t("leaders.games")}</th>
        </tr>
      </thead>
      <tbody>
        {leaders.map(({ rank, name, rating }) => (
          <tr key={rating?.playerId} class={rating?.playerId === me ? "mine" : ""}>
            <td>{number(rank)}</td>
            <td>
              <Link to={`/player/${rating?.playerId}`}>{name}</Link>
            </td>
            <td>
              {number(rating?.points ?? 0)}
              {rating?.provisional && "?"}
            </td>
            <td>{number(rating?.games ?? 0)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
