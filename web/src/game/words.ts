/** Games in words: results and what happened, for the eye and for the ear. */

import { Color, EndReason } from "../api/enums";
import { length as span } from "../api/times";
import type { GameResult, TimeGiven } from "../gen/nigiri/game/v1/game_pb";
import { BLACK, chainAt, neighbours, other, type Stone } from "../go/board";
import { pointName } from "../go/points";
import { type Key, number, t } from "../i18n/text";
import type { Happening } from "./live";
import { boardOf, type GameView } from "./view";

/** A colour in words. */
export function colorText(color: Color | Stone): string {
  return t(color === Color.BLACK ? "black" : "white");
}

const ENDS: Partial<Record<EndReason, Key>> = {
  [EndReason.RESIGNATION]: "end.resignation",
  [EndReason.TIME]: "end.time",
  [EndReason.ABANDONMENT]: "end.abandonment",
  [EndReason.ADJUDICATION]: "end.adjudication",
  [EndReason.UNRATED_ADJUDICATION]: "end.adjudication",
  [EndReason.ABORT]: "end.abort",
  [EndReason.REPETITION]: "end.repetition",
  [EndReason.VOID]: "end.void",
  [EndReason.DRAW_AGREED]: "end.drawAgreed",
};

/** By how many points a result was won, for one that was counted. */
function points(result: GameResult): string {
  const value = Number(result.text.split("+")[1]);
  return Number.isFinite(value) ? number(value) : "";
}

/** A result in words. */
export function resultText(result: GameResult): string {
  const how = ENDS[result.reason];
  if (result.winner === Color.UNSPECIFIED) return how ? t(how, { color: "" }) : t("end.draw");
  const color = colorText(result.winner);
  return how ? t(how, { color }) : t("end.score", { color, points: points(result) });
}

/** What happened, as a sentence or more for screen readers; empty when it is nothing to be said. */
export function happeningText({ events, before, after }: Happening): string {
  const said: string[] = [];
  for (const { event } of events) {
    switch (event.case) {
      case "movePlayed":
        said.push(moveText(after, event.value.point, event.value.color, event.value.captured.length));
        break;
      case "passed":
        said.push(t("say.passed", { color: colorText(event.value.color) }));
        break;
      case "takenBack":
        said.push(t("say.takenBack", { n: event.value.moves }));
        break;
      case "drawOffered":
        said.push(t("say.drawOffered", { color: colorText(event.value.color) }));
        break;
      case "takebackRequested":
        said.push(t("say.takebackRequested", { color: colorText(event.value.color) }));
        break;
      case "scoreProposed":
        said.push(t("say.scoreProposed"));
        break;
      case "scoreDisputed":
        said.push(t("say.scoreDisputed", { color: colorText(event.value.color) }));
        break;
      case "playerAway":
        said.push(t("say.away", { color: colorText(event.value.color) }));
        break;
      case "playerBack":
        said.push(t("say.back", { color: colorText(event.value.color) }));
        break;
      case "timeCredited":
        said.push(t("say.credited", { seconds: number(span(event.value.credit) / 1000, 0) }));
        break;
      case "timeGiven":
        said.push(givenText(event.value));
        break;
      case "finished":
        if (event.value.result) said.push(resultText(event.value.result));
        break;
    }
  }
  return said.length > 0 || before === after ? said.join(". ") : "";
}

/** That an operator gave time, and why. */
export function givenText({ time, reason }: TimeGiven): string {
  return t("say.timeGiven", { seconds: number(span(time) / 1000, 0), reason });
}

function moveText(view: GameView, point: string, color: Color, captured: number): string {
  const said = [t("say.move", { color: colorText(color), point })];
  if (captured > 0) said.push(t("say.captures", { n: captured }));
  const atari = atariBy(view);
  if (atari.length > 0) said.push(t("say.atari", { points: atari.join(", ") }));
  return said.join(", ");
}

/** Chains that the last move has put into atari, by a point of each. */
export function atariBy(view: GameView): string[] {
  const last = view.timeline.moves[view.timeline.moves.length - 1];
  if (last?.point == null) return [];
  const { size } = view.timeline.start;
  const board = boardOf(view);
  const named = new Set<number>();
  const found: string[] = [];
  for (const beside of neighbours(last.point, size)) {
    if (board[beside] !== other(last.color) || named.has(beside)) continue;
    const chain = chainAt(board, size, beside);
    for (const stone of chain.stones) named.add(stone);
    if (chain.liberties.length === 1) found.push(pointName(beside, size));
  }
  return found;
}

/** The stones that a colour has taken. */
export function capturesOf(view: GameView, color: Color): number {
  return color === (BLACK as number) ? view.state.capturedByBlack : view.state.capturedByWhite;
}
