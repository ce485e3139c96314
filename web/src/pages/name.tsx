/** A name, and with it a player: whoever has none yet becomes a guest at the first thing that needs one. */

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { randomId, session, sessionLost } from "../api/session";
import { t } from "../i18n/text";
import { errorText, PageTitle, Problem } from "../ui/parts";
import { Link } from "../ui/router";

/** What is needed to sign in when something is to be done. */
export function useSignIn() {
  const name = useSignal("");
  const problem = useSignal("");
  const busy = useSignal(false);
  const requestId = useSignal(randomId());
  /** Signs in if nobody is, then does the rest. */
  const asPlayer = async (then: () => Promise<void> | void) => {
    if (busy.value) return;
    busy.value = true;
    problem.value = "";
    try {
      if (!session.value) {
        const [{ repeat }, { signInAsGuest }] = await Promise.all([
          import("../api/clients"),
          import("../api/doors"),
        ]);
        await repeat(
          () => signInAsGuest(name.value.trim() || suggestion(), requestId.value),
          (attempt) => attempt < 4,
        );
      }
      await then();
    } catch (error) {
      problem.value = errorText(error);
      requestId.value = randomId();
    } finally {
      busy.value = false;
    }
  };
  return { name, problem, busy, asPlayer };
}

const ADJECTIVES = ["Quiet", "Bright", "Patient", "Bold", "Gentle", "Clever", "Swift", "Calm"];
const ANIMALS = ["Crane", "Fox", "Otter", "Heron", "Lynx", "Koi", "Hare", "Owl"];
const chosen = pick(ADJECTIVES) + pick(ANIMALS) + Math.floor(10 + Math.random() * 90);

function pick(words: readonly string[]): string {
  return words[Math.floor(Math.random() * words.length)] ?? "";
}

/** A name for who has none; the same while the page is open. */
function suggestion(): string {
  return chosen;
}

export function NameField({ name, onInput }: { name: string; onInput: (text: string) => void }) {
  const who = session.value;
  if (who) {
    return (
      <p class="playing-as">
        {t("home.playingAs")} <Link to={`/player/${who.id}`}>{who.name}</Link>
        {who.guest && <span class="tag">{t("guest")}</span>}
      </p>
    );
  }
  return (
    <label class="field name">
      <span>{t("home.name")}</span>
      <input
        type="text"
        maxLength={24}
        autocomplete="nickname"
        spellcheck={false}
        placeholder={suggestion()}
        value={name}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </label>
  );
}

/** Makes somebody a player who is nobody yet, between what the page says before it and after it. */
export function EnterForm({
  button,
  before,
  after,
}: {
  button: string;
  before: ComponentChildren;
  after?: ComponentChildren;
}) {
  const { name, problem, busy, asPlayer } = useSignIn();
  const submit = (event: Event) => {
    event.preventDefault();
    void asPlayer(() => undefined);
  };
  return (
    <form class="narrow stack" onSubmit={submit}>
      {before}
      {sessionLost.value && <Problem text={t("home.sessionLost")} />}
      <NameField name={name.value} onInput={(text) => (name.value = text)} />
      <Problem text={problem.value} />
      <div class="row">
        <button type="submit" class="main" disabled={busy.value}>
          {button}
        </button>
      </div>
      {after}
    </form>
  );
}

/** For who comes by a link to something that only players see. */
export function Welcome() {
  const title = <PageTitle title={t("welcome.title")}>{t("welcome.title")}</PageTitle>;
  return <EnterForm button={t("watch.open")} before={title} />;
}
