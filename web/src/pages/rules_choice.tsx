/** Preset, board, clock and handicap: the usual ones need no look. */

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { controlText, presetText, sizeText } from "../game/kinds";
import { type Clock, type Offer, offerOf, timeControlOf } from "../game/settings";
import { number, t } from "../i18n/text";
import { Choice } from "../ui/parts";

/** What is played. */
export interface Kind {
  preset: string;
  size: number;
  handicap: number;
  clock: Clock;
}

interface RulesChoiceProps {
  kind: Kind;
  offers: readonly Offer[];
  /** The clocks that a preset may be played by, the usual one first; absent where there is no choice. */
  clocks?: (preset: string) => readonly Clock[];
  handicaps?: boolean;
  onChange: (next: Partial<Kind>) => void;
  /** What else is chosen. */
  children?: ComponentChildren;
}

export function RulesChoice(props: RulesChoiceProps) {
  const { preset, size, handicap, clock } = props.kind;
  /** What is in it is made when it is first opened: few look, and it is most of the first page. */
  const opened = useSignal(false);
  const words = [
    presetText(preset),
    sizeText(size),
    ...(props.clocks ? [controlText(timeControlOf(clock))] : []),
    ...(handicap > 0 ? [t("handicapOf", { n: handicap })] : []),
  ];
  return (
    <details class="rules-choice">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a summary is a button by itself. */}
      <summary onClick={() => (opened.value = true)}>{words.join(" · ")}</summary>
      {opened.value && <Fields {...props} />}
    </details>
  );
}

function Fields({ kind, offers, clocks, handicaps = true, onChange, children }: RulesChoiceProps) {
  const { preset, size, handicap, clock } = kind;
  const offer = offerOf(preset);
  const toPreset = (next: string) => {
    const { sizes, handicap: may } = offerOf(next);
    onChange({
      preset: next,
      size: sizes[0] ?? 9,
      handicap: may && handicaps ? handicap : 0,
      ...(clocks && { clock: clocks(next)[0] }),
    });
  };
  return (
    <>
      <label class="field">
        <span>{t("home.rules")}</span>
        <select value={preset} onChange={(event) => toPreset(event.currentTarget.value)}>
          {offers.map((each) => (
            <option key={each.preset} value={each.preset}>
              {presetText(each.preset)}
            </option>
          ))}
        </select>
      </label>
      {offer.sizes.length > 1 && (
        <Choice
          legend={t("home.board")}
          value={size}
          onChange={(value) => onChange({ size: value })}
          options={[...offer.sizes].sort((a, b) => a - b).map((value) => ({ value, text: sizeText(value) }))}
        />
      )}
      {clocks && clocks(preset).length > 1 && (
        <label class="field">
          <span>{t("home.clock")}</span>
          <select value={clock} onChange={(event) => onChange({ clock: event.currentTarget.value as Clock })}>
            {clocks(preset).map((each) => (
              <option key={each} value={each}>
                {controlText(timeControlOf(each))}
              </option>
            ))}
          </select>
        </label>
      )}
      {handicaps && offer.handicap && (
        <label class="field">
          <span>{t("home.handicap")}</span>
          <select
            value={handicap}
            onChange={(event) => onChange({ handicap: Number(event.currentTarget.value) })}
          >
            {[0, 2, 3, 4, 5, 6, 7, 8, 9].map((stones) => (
              <option key={stones} value={stones}>
                {number(stones)}
              </option>
            ))}
          </select>
        </label>
      )}
      {children}
    </>
  );
}
