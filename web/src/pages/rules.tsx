/** The rules, with positions to look at; and what is special in each preset. */

import { presetText } from "../game/kinds";
import { type LessonKey, lesson } from "../i18n/lessons/text";
import { number, t } from "../i18n/text";
import { countsOf, DIAGRAMS } from "../lessons/diagrams";
import { PageTitle } from "../ui/parts";
import { Link } from "../ui/router";
import { DiagramBoard } from "./diagram";

const PRESETS = ["quick", "territory", "weiqi", "igo"] as const;
type Preset = (typeof PRESETS)[number];

/** What differs between the presets, a row each: as it is, or a message's name. */
const DIFFER: readonly { key: LessonKey; values: Record<Preset, string | number | { key: LessonKey }> }[] = [
  {
    key: "differ.boards",
    values: { quick: "9×9", territory: "9×9", weiqi: "9×9, 13×13, 19×19", igo: "9×9, 13×13, 19×19" },
  },
  {
    key: "differ.scoring",
    values: {
      quick: { key: "value.area" },
      territory: { key: "value.territory" },
      weiqi: { key: "value.area" },
      igo: { key: "value.territory" },
    },
  },
  { key: "differ.komi", values: { quick: 7, territory: 6.5, weiqi: 7.5, igo: 6.5 } },
  {
    key: "differ.ko",
    values: {
      quick: { key: "value.superko" },
      territory: { key: "value.simple" },
      weiqi: { key: "value.superko" },
      igo: { key: "value.simple" },
    },
  },
  {
    key: "differ.handicap",
    values: {
      quick: { key: "value.none" },
      territory: { key: "value.none" },
      weiqi: { key: "value.none" },
      igo: { key: "value.handicap" },
    },
  },
  {
    key: "differ.dead",
    values: {
      quick: { key: "value.clear" },
      territory: { key: "value.estimate" },
      weiqi: { key: "value.agreed" },
      igo: { key: "value.marked" },
    },
  },
  {
    key: "differ.passes",
    values: {
      quick: { key: "value.atOnce" },
      territory: { key: "value.atOnce" },
      weiqi: { key: "value.agreement" },
      igo: { key: "value.agreement" },
    },
  },
  {
    key: "differ.time",
    values: {
      quick: { key: "value.perMove" },
      territory: { key: "value.perMove" },
      weiqi: { key: "value.perMove" },
      igo: { key: "value.byoyomi" },
    },
  },
  {
    key: "differ.draw",
    values: {
      quick: { key: "value.yes" },
      territory: { key: "value.no" },
      weiqi: { key: "value.no" },
      igo: { key: "value.no" },
    },
  },
];

const BASICS = ["liberty", "capture", "chain", "suicide", "ko", "eyes", "seki"] as const;

export default function Rules({ rest }: { rest: string }) {
  const preset = PRESETS.find((name) => name === rest);
  return preset ? <OnePreset preset={preset} /> : <AllRules />;
}

function AllRules() {
  return (
    <div class="rules">
      <PageTitle title={t("menu.rules")}>{lesson("rules.title")}</PageTitle>
      <p class="lead">{lesson("rules.lead")}</p>
      <section aria-labelledby="ways">
        <h2 id="ways">{lesson("rules.presets")}</h2>
        <ul class="ways">
          {PRESETS.map((preset) => (
            <li key={preset}>
              <Link to={`/rules/${preset}`} class="card">
                <h3>{presetText(preset)}</h3>
                <p>{lesson(`preset.${preset}.text`)}</p>
              </Link>
            </li>
          ))}
        </ul>
      </section>
      <section aria-labelledby="basics">
        <h2 id="basics">{lesson("rules.basics")}</h2>
        <Words name="board" />
        {BASICS.map((name) => (
          <Lesson key={name} name={name} />
        ))}
        <Lesson name="area" />
        <Lesson name="territory" />
        <Words name="komi" />
        <Words name="end" />
      </section>
      <Differences presets={PRESETS} />
      <Advice />
    </div>
  );
}

function OnePreset({ preset }: { preset: Preset }) {
  const area = preset === "quick" || preset === "weiqi";
  return (
    <div class="rules">
      <PageTitle title={presetText(preset)}>{presetText(preset)}</PageTitle>
      <p class="lead">{lesson(`preset.${preset}.text`)}</p>
      <Differences presets={[preset]} />
      <section>
        {BASICS.map((name) => (
          <Lesson key={name} name={name} />
        ))}
        <Lesson name={area ? "area" : "territory"} />
        <Words name="komi" />
        <Words name="end" />
      </section>
      <p>
        <Link to="/rules">{lesson("rules.title")}</Link>
      </p>
    </div>
  );
}

function Words({ name }: { name: "board" | "komi" | "end" }) {
  return (
    <div class="lesson">
      <div>
        <h3>{lesson(`lesson.${name}`)}</h3>
        <p>{lesson(`lesson.${name}.text`)}</p>
      </div>
    </div>
  );
}

function Lesson({ name }: { name: (typeof BASICS)[number] | "area" | "territory" }) {
  return (
    <div class="lesson">
      <div>
        <h3>{lesson(`lesson.${name}`)}</h3>
        <p>{lesson(`lesson.${name}.text`, countsOf(name))}</p>
      </div>
      <DiagramBoard diagram={DIAGRAMS[name]} label={lesson(`lesson.${name}`)} />
    </div>
  );
}

function Differences({ presets }: { presets: readonly Preset[] }) {
  return (
    <section>
      <h2 id="differ">{lesson("differ.title")}</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways has to be reached by the keyboard. */}
      <div class="scroll" tabIndex={0} role="region" aria-labelledby="differ">
        <table>
          <thead>
            <tr>
              <td />
              {presets.map((preset) => (
                <th key={preset} scope="col">
                  {presetText(preset)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {DIFFER.map(({ key, values }) => (
              <tr key={key}>
                <th scope="row">{lesson(key)}</th>
                {presets.map((preset) => (
                  <td key={preset}>{valueText(values[preset])}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function valueText(value: string | number | { key: LessonKey }): string {
  if (typeof value === "number") return number(value);
  return typeof value === "string" ? value : lesson(value.key);
}

function Advice() {
  const pieces = [1, 2, 3, 4, 5, 6, 7, 8] as const;
  const questions = [1, 2, 3, 4, 5, 6, 7] as const;
  return (
    <div class="split">
      <section aria-labelledby="strategy">
        <h2 id="strategy">{lesson("strategy.title")}</h2>
        <ol>
          {pieces.map((piece) => (
            <li key={piece}>{lesson(`strategy.${piece}`)}</li>
          ))}
        </ol>
      </section>
      <section aria-labelledby="faq">
        <h2 id="faq">{lesson("faq.title")}</h2>
        {questions.map((question) => (
          <details key={question}>
            <summary>{lesson(`faq.${question}`)}</summary>
            <p>{lesson(`faq.${question}.text`)}</p>
          </details>
        ))}
      </section>
    </div>
  );
}
