/** A challenge behind its link: for who made it a waiting room, for everybody else what is to be played, before they accept it. */

import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { challenges } from "../api/challenges";
import { repeat } from "../api/clients";
import { Color } from "../api/enums";
import { type Link as Connection, Follower, type Heard } from "../api/follow";
import { refusal } from "../api/refusal";
import { session } from "../api/session";
import { moment } from "../api/times";
import { presetText, sizeText, timeText } from "../game/kinds";
import { colorText } from "../game/words";
import type { GameSettings } from "../gen/nigiri/game/v1/game_pb";
import {
  type Challenge,
  ChallengeState,
  type WatchChallengesResponse,
} from "../gen/nigiri/matchmaking/v1/challenge_service_pb";
import { dateText, number, t } from "../i18n/text";
import { announce } from "../ui/announce";
import { LinkBar } from "../ui/link_bar";
import { errorText, Icon, PageTitle, Problem, refusalText } from "../ui/parts";
import { QrCode } from "../ui/qr";
import { go, Link } from "../ui/router";
import { sound } from "../ui/sound";
import { EnterForm } from "./name";
import { SignInButton } from "./sign_in_button";
import "../style/join.css";

export default function Join({ rest }: { rest: string }) {
  return session.value ? <Invitation key={session.value.id} code={rest} /> : <Enter />;
}

/** For who comes by the link and is nobody yet. */
function Enter() {
  const invited = (
    <>
      <PageTitle title={t("join.title")}>{t("join.invited")}</PageTitle>
      <p class="lead">{t("join.invitedText")}</p>
    </>
  );
  return <EnterForm button={t("join.look")} before={invited} after={<SignInButton />} />;
}

/** Follows a challenge, and goes to its game once there is one. */
function useChallenge(code: string) {
  const challenge = useSignal<Challenge | null>(null);
  const problem = useSignal("");
  const follower = useMemo(() => {
    const load = async () => {
      try {
        challenge.value = (await challenges.getChallenge({ code })).challenge ?? null;
        problem.value = "";
      } catch (error) {
        problem.value = errorText(error);
      }
    };
    const hear = ({ message }: WatchChallengesResponse): Heard => {
      if (message.case === "draining") return "again";
      if (message.case === "challenge" && message.value.code === code) challenge.value = message.value;
      // The stream does not tell of a challenge of others, nor of one that was closed before.
      if (message.case === "caughtUp") void load();
      return "more";
    };
    return new Follower<WatchChallengesResponse>({
      open: (signal) => challenges.watchChallenges({}, { signal }),
      hear,
    });
  }, [code, challenge, problem]);
  useEffect(() => {
    void follower.run();
    return () => follower.stop();
  }, [follower]);
  const game = challenge.value?.gameId;
  useEffect(() => {
    if (!game) return;
    announce(t("wait.found"), true);
    sound("end");
    go(`/game/${game}`, true);
  }, [game]);
  return { challenge, problem, follower };
}

function Invitation({ code }: { code: string }) {
  const { challenge, problem, follower } = useChallenge(code);
  const found = challenge.value;
  const me = session.value?.id;
  return (
    <div class="join">
      <LinkBar link={follower.link.value} onRetry={() => follower.retry()} />
      {found ? (
        <Found challenge={found} mine={found.challenger?.playerId === me} problem={problem} />
      ) : (
        <Missing problem={problem.value} link={follower.link.value} />
      )}
      <Problem text={found ? problem.value : ""} />
    </div>
  );
}

function Missing({ problem, link }: { problem: string; link: Connection }) {
  const why = problem || (link.state === "refused" ? refusalText(link.why) : "");
  return (
    <div class="loading">
      <PageTitle title={t("join.title")}>{why || t("loading")}</PageTitle>
      {why && <Link to="/">{t("home.short")}</Link>}
    </div>
  );
}

interface FoundProps {
  challenge: Challenge;
  mine: boolean;
  problem: Signal<string>;
}

const CLOSED = {
  [ChallengeState.ACCEPTED]: "join.taken",
  [ChallengeState.DECLINED]: "join.declined",
  [ChallengeState.CANCELLED]: "join.cancelled",
  [ChallengeState.EXPIRED]: "join.expired",
} as const;

function Found(props: FoundProps) {
  const { challenge, mine } = props;
  const { state } = challenge;
  if (state in CLOSED) {
    const text = t(CLOSED[state as keyof typeof CLOSED]);
    return (
      <>
        <PageTitle title={t("join.title")}>{text}</PageTitle>
        <Link class="button main" to="/">
          {t("home.short")}
        </Link>
      </>
    );
  }
  return mine ? <Own {...props} /> : <Offered {...props} />;
}

/** The waiting room of who made it. */
function Own({ challenge, problem }: FoundProps) {
  const { code, url, opponent } = challenge;
  const address = new URL(url || `/join/${code}`, location.origin).href;
  const withdraw = async () => {
    try {
      await challenges.cancelChallenge({ code });
      go("/");
    } catch (error) {
      // Somebody was faster: the game comes.
      if (refusal(error).reason !== "CHALLENGE_CLOSED") problem.value = errorText(error);
    }
  };
  return (
    <>
      <PageTitle title={t("wait.short")}>
        {opponent ? t("friend.waitsFor", { name: opponent.name }) : t("friend.waits")}
      </PageTitle>
      <p class="lead">{t("join.send")}</p>
      <Send address={address} />
      <Facts challenge={challenge} mine />
      <button type="button" class="careful" onClick={withdraw}>
        {t("join.withdraw")}
      </button>
    </>
  );
}

/** The link: to copy, to share, to be read by a camera. */
function Send({ address }: { address: string }) {
  const copied = useSignal("");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(address);
      copied.value = t("join.copied");
    } catch {
      // Without TLS there is no clipboard: it is marked, to be copied by hand.
      const field = document.querySelector<HTMLInputElement>(".send input");
      field?.focus();
      field?.select();
      copied.value = t("join.marked");
    }
  };
  // Whoever closes the list of apps has not failed.
  const share = () =>
    navigator.share({ title: "Nigiri", text: t("join.shared"), url: address }).catch(() => undefined);
  return (
    <div class="send">
      <div class="row">
        <input
          type="text"
          readOnly
          aria-label={t("join.link")}
          value={address}
          onFocus={(event) => event.currentTarget.select()}
        />
        <button type="button" class="main" onClick={copy}>
          <Icon name="copy" /> {t("join.copy")}
        </button>
        {"share" in navigator && (
          <button type="button" onClick={share}>
            <Icon name="share" /> {t("join.share")}
          </button>
        )}
      </div>
      <p role="status" class="quiet">
        {copied.value}
      </p>
      <QrCode text={address} label={t("join.qr")} />
    </div>
  );
}

/** What somebody else proposes. */
function Offered({ challenge, problem }: FoundProps) {
  const busy = useSignal(false);
  const { code, challenger, opponent } = challenge;
  const accept = async () => {
    busy.value = true;
    try {
      const answer = await repeat(
        () => challenges.acceptChallenge({ code }),
        (attempt) => attempt < 5,
      );
      go(`/game/${answer.gameId}`, true);
    } catch (error) {
      problem.value = errorText(error);
      busy.value = false;
    }
  };
  const decline = async () => {
    try {
      await challenges.declineChallenge({ code });
      go("/");
    } catch (error) {
      problem.value = errorText(error);
    }
  };
  return (
    <>
      <PageTitle title={t("join.title")}>{t("friend.invites", { name: challenger?.name ?? "?" })}</PageTitle>
      <Facts challenge={challenge} />
      <div class="row">
        <button type="button" class="main" disabled={busy.value} onClick={accept}>
          {t("join.accept")}
        </button>
        {opponent ? (
          <button type="button" onClick={decline}>
            {t("decline")}
          </button>
        ) : (
          <Link class="button" to="/">
            {t("join.no")}
          </Link>
        )}
      </div>
    </>
  );
}

/** What is to be played. */
function Facts({ challenge, mine = false }: { challenge: Challenge; mine?: boolean }) {
  const { settings, challengerColor, expireTime } = challenge;
  if (!settings) return null;
  return (
    <dl class="facts">
      <dt>{t("wait.kind")}</dt>
      <dd>
        <Link to={`/rules/${settings.preset}`}>{presetText(settings.preset)}</Link> ·{" "}
        {[sizeText(settings.boardSize), ...moreOf(settings)].join(" · ")}
      </dd>
      <dt>{t("home.clock")}</dt>
      <dd>{timeText(settings)}</dd>
      <dt>{t("home.color")}</dt>
      <dd>{colorOf(challengerColor, mine)}</dd>
      {expireTime && (
        <>
          <dt>{t("join.until")}</dt>
          <dd>{dateText(moment(expireTime))}</dd>
        </>
      )}
    </dl>
  );
}

function moreOf(settings: GameSettings): string[] {
  const { handicap = 0 } = settings.options ?? {};
  return [
    t("komiOf", { komi: number(settings.komi) }),
    ...(handicap > 0 ? [t("handicapOf", { n: handicap })] : []),
    t(settings.rated ? "rated" : "unrated"),
  ];
}

/** The colour of who looks. */
function colorOf(challenger: Color, mine: boolean): string {
  if (challenger === Color.UNSPECIFIED) return t("random");
  return colorText(mine ? challenger : challenger === Color.BLACK ? Color.WHITE : Color.BLACK);
}
