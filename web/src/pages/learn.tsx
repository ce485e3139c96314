/** Ten small puzzles. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Board } from "../board/Board";
import { parseBoard, play, type Stones } from "../go/board";
import { pointName } from "../go/points";
import { type LessonKey, lesson } from "../i18n/lessons/text";
import { number, t } from "../i18n/text";
import { PUZZLES } from "../lessons/diagrams";
import { announce } from "../ui/announce";
import { PageTitle } from "../ui/parts";
import { Link } from "../ui/router";
import { sound } from "../ui/sound";

const KEY = "nigiri.learned";

/** The numbers of the puzzles that were solved in this browser. */
function solved(): number[] {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "[]");
  } catch {
    return [];
  }
}

export default function Learn({ rest }: { rest: string }) {
  const wanted = Number(rest) || 1;
  const chosen = Math.min(PUZZLES.length, Math.max(1, Math.floor(wanted)));
  const done = useSignal(solved());
  const solve = () => {
    done.value = [...new Set([...done.value, chosen])];
    localStorage.setItem(KEY, JSON.stringify(done.value));
  };
  return (
    <div class="learn">
      <PageTitle title={t("menu.learn")}>{lesson("puzzle.title")}</PageTitle>
      <nav aria-label={lesson("puzzle.title")}>
        <ol class="pager">
          {PUZZLES.map((_, index) => (
            <li key={index + 1}>
              <Link
                to={`/learn/${index + 1}`}
                class={`button ${done.value.includes(index + 1) ? "done" : ""}`}
                aria-label={lesson("puzzle.number", { n: index + 1 })}
                aria-current={chosen === index + 1 ? "step" : undefined}
              >
                {number(index + 1)}
                {done.value.includes(index + 1) && " ✓"}
              </Link>
            </li>
          ))}
        </ol>
      </nav>
      <One key={chosen} chosen={chosen} onSolved={solve} />
    </div>
  );
}

function One({ chosen, onSolved }: { chosen: number; onSolved: () => void }) {
  const puzzle = PUZZLES[chosen - 1];
  const verdict = useSignal<"" | "right" | "wrong">("");
  const stones = useSignal<Stones>(parseBoard(puzzle?.rows ?? []));
  const last = useSignal<number | null>(null);
  useEffect(() => {
    if (verdict.value) announce(lesson(`puzzle.${verdict.value}`), true);
  }, [verdict.value]);
  if (!puzzle) return null;
  const size = puzzle.rows.length;
  const right = () => {
    verdict.value = "right";
    onSolved();
  };
  const answer = (point: number) => {
    if (!puzzle.answers.includes(pointName(point, size))) {
      verdict.value = "wrong";
      return;
    }
    const played = play(stones.value, size, point, puzzle.color);
    if (!played) return;
    sound(played.captured.length > 0 ? "capture" : "stone");
    stones.value = played.stones;
    last.value = point;
    right();
  };
  const pass = () => {
    if (puzzle.answers.length === 0) right();
    else verdict.value = "wrong";
  };
  const again = () => {
    stones.value = parseBoard(puzzle.rows);
    last.value = null;
    verdict.value = "";
  };
  return (
    <div class="puzzle">
      <Board
        size={size}
        stones={stones.value}
        last={last.value}
        label={lesson("puzzle.number", { n: chosen })}
        turn={verdict.value === "right" ? undefined : puzzle.color}
        onPlay={answer}
        onForbidden={() => (verdict.value = "wrong")}
      />
      <div class="stack">
        <h2>{lesson("puzzle.number", { n: chosen })}</h2>
        <p>{lesson(`puzzle.${chosen}` as LessonKey)}</p>
        <p class={`verdict ${verdict.value}`}>{verdict.value && lesson(`puzzle.${verdict.value}`)}</p>
        {verdict.value !== "right" && (
          <div class="row">
            <button type="button" onClick={pass}>
              {t("pass")}
            </button>
          </div>
        )}
        {verdict.value === "right" && <After chosen={chosen} onAgain={again} />}
      </div>
    </div>
  );
}

function After({ chosen, onAgain }: { chosen: number; onAgain: () => void }) {
  const last = chosen === PUZZLES.length;
  return (
    <>
      {last && <p>{lesson("puzzle.done")}</p>}
      <div class="row">
        <Link class="button main" to={last ? "/" : `/learn/${chosen + 1}`}>
          {lesson(last ? "puzzle.play" : "puzzle.next")}
        </Link>
        <button type="button" onClick={onAgain}>
          {lesson("puzzle.again")}
        </button>
      </div>
    </>
  );
}
