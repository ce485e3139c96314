/** A count by its parts. */

import type { ScoreParts, Verdict } from "../../gen/nigiri/game/v1/game_pb";
import { type Key, number, t } from "../../i18n/text";

const PARTS: readonly { part: Exclude<keyof ScoreParts, "$typeName" | "$unknown">; key: Key }[] = [
  { part: "stones", key: "score.stones" },
  { part: "territory", key: "score.territory" },
  { part: "prisoners", key: "score.prisoners" },
  { part: "komi", key: "score.komi" },
  { part: "handicap", key: "score.handicap" },
  { part: "tax", key: "score.tax" },
  { part: "total", key: "score.total" },
];

/** The table of a count; parts that nobody has are left out. `result` is as record keepers write it. */
export function Score({ verdict, result }: { verdict: Verdict; result?: string }) {
  const { black, white } = verdict;
  if (!black || !white) return null;
  const shown = PARTS.filter(({ part }) => part === "total" || black[part] !== 0 || white[part] !== 0);
  return (
    <table class="score">
      {result !== undefined && <caption>{recordText(result)}</caption>}
      <thead>
        <tr>
          <th scope="col">
            <span class="unseen">{t("score.part")}</span>
          </th>
          <th scope="col">{t("black")}</th>
          <th scope="col">{t("white")}</th>
        </tr>
      </thead>
      <tbody>
        {shown.map(({ part, key }) => (
          <tr key={part} class={part}>
            <th scope="row">{t(key)}</th>
            <td>{cell(part, black[part])}</td>
            <td>{cell(part, white[part])}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function cell(part: string, value: number): string {
  if (value === 0 && part !== "total") return "–";
  return number(part === "tax" ? -value : value);
}

/** `B+2.5` in words. */
export function recordText(result: string): string {
  const [winner, points] = result.split("+");
  if (points === undefined) return t("end.draw");
  return t("score.leads", { color: t(winner === "B" ? "black" : "white"), points: number(Number(points)) });
}
