/** The operators' page: the whole system live, one game or player of it, and what can be done. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { account } from "../api/clients";
import { accessToken } from "../api/doors";
import { refusal } from "../api/refusal";
import { session } from "../api/session";
import { type OpsKey, o } from "../i18n/ops/text";
import { AuditLog, Flags } from "../ops/acts";
import { OpenQuestion } from "../ops/deed";
import { OneGame } from "../ops/game";
import { Groups } from "../ops/groups";
import { LiveGames, Queue } from "../ops/lists";
import { Overview } from "../ops/overview";
import { OnePlayer } from "../ops/player";
import { tower, useLook } from "../ops/tower";
import { errorText, PageTitle, Problem } from "../ui/parts";
import { address, go, Link } from "../ui/router";
import { EnterForm } from "./name";
import { SignInButton } from "./sign_in_button";
import "../style/ops.css";

const TABS = ["overview", "games", "queue", "groups", "flags", "acts"] as const;

function tabPath(tab: string): string {
  return tab === "overview" ? "/ops" : `/ops/${tab}`;
}

export default function Ops({ rest }: { rest: string }) {
  return (
    <div class="ops">
      <PageTitle title={o("ops.title")}>{o("ops.title")}</PageTitle>
      {session.value ? <Guarded part={rest || "overview"} /> : <Enter />}
      <OpenQuestion />
    </div>
  );
}

/** For who is nobody yet. */
function Enter() {
  const first = (
    <>
      <p>{o("ops.signIn")}</p>
      <SignInButton />
    </>
  );
  return <EnterForm button={o("ops.enter")} before={first} />;
}

/** What operators see; whoever is none is told how one becomes one. */
function Guarded({ part }: { part: string }) {
  const look = useLook("overview", (how) => tower.getOverview({}, how));
  const asked = useSignal(false);
  const none = look.why?.reason === "ROLE_REQUIRED";
  /** The role comes with a token: one that is older than the configuration does not have it. */
  const renew = async () => {
    asked.value = true;
    await accessToken(session.value?.access).catch(() => "");
    look.again();
  };
  useEffect(() => {
    if (none && !asked.value) void renew();
  }, [none]);
  if (none) return <NoOperator again={() => void renew()} />;
  const { query } = address.value;
  const id = query.get("id") ?? "";
  return (
    <>
      <nav class="tabs" aria-label={o("ops.tabs")}>
        {TABS.map((tab) => (
          <Link key={tab} to={tabPath(tab)}>
            {o(`tab.${tab}` satisfies OpsKey)}
          </Link>
        ))}
      </nav>
      <Find />
      {part === "overview" && <Overview look={look} />}
      {part === "games" && <LiveGames />}
      {part === "queue" && <Queue />}
      {part === "groups" && <Groups look={look} />}
      {part === "flags" && <Flags />}
      {part === "acts" && <AuditLog key={query.get("on")} on={query.get("on") ?? ""} />}
      {part === "game" && <OneGame key={id} id={id} />}
      {part === "player" && <OnePlayer key={id} id={id} />}
    </>
  );
}

function NoOperator({ again }: { again: () => void }) {
  return (
    <section class="narrow stack" aria-labelledby="none">
      <h2 id="none">{o("ops.who")}</h2>
      <p>{o("ops.whoText")}</p>
      <p>
        <code>{session.value?.id}</code>
      </p>
      <div class="row">
        <button type="button" onClick={again}>
          {o("ops.again")}
        </button>
      </div>
    </section>
  );
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i;

/** Finds a game or a player by whatever an operator has at hand. */
function Find() {
  const text = useSignal("");
  const problem = useSignal("");
  const find = async (event: Event) => {
    event.preventDefault();
    problem.value = "";
    try {
      const to = await placeOf(text.value.trim());
      if (to) go(to);
      else problem.value = o("find.none");
      if (to) text.value = "";
    } catch (error) {
      problem.value = errorText(error);
    }
  };
  return (
    <form class="find" role="search" onSubmit={find}>
      <label class="field">
        <span>{o("find.label")}</span>
        <input
          type="search"
          required
          spellcheck={false}
          value={text.value}
          onInput={(event) => (text.value = event.currentTarget.value)}
        />
      </label>
      <button type="submit">{o("find.go")}</button>
      <Problem text={problem.value} />
    </form>
  );
}

/** Where what was asked for is shown; null if there is no such thing. */
async function placeOf(text: string): Promise<string | null> {
  const id = UUID.exec(text)?.[0];
  if (!id) {
    const found = await known(() => account.findPlayer({ name: text }));
    return found?.player ? `/ops/player?id=${found.player.id}` : null;
  }
  if (await known(() => tower.getGame({ gameId: id }))) return `/ops/game?id=${id}`;
  return (await known(() => tower.getPlayer({ playerId: id }))) ? `/ops/player?id=${id}` : null;
}

/** What is found; null where there is no such thing. */
async function known<T>(ask: () => Promise<T>): Promise<T | null> {
  try {
    return await ask();
  } catch (error) {
    if (["GAME_NOT_FOUND", "PLAYER_NOT_FOUND"].includes(refusal(error).reason)) return null;
    throw error;
  }
}
