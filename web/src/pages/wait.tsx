/** The waiting room: what happens, and for how long. Loaded again, it goes on with the same ticket. */

import type { Duration } from "@bufbuild/protobuf/wkt";
import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { matchmaking } from "../api/clients";
import { Follower, type Heard } from "../api/follow";
import { length as span } from "../api/times";
import { controlText, presetText, sizeText } from "../game/kinds";
import { clocksOf, MEETINGS, offerOf, PACES, timeControlOf } from "../game/settings";
import { EndedReason, type FindMatchResponse } from "../gen/nigiri/matchmaking/v1/matchmaking_service_pb";
import { number, t } from "../i18n/text";
import { announce } from "../ui/announce";
import { Countdown } from "../ui/game_clock";
import { LinkBar } from "../ui/link_bar";
import { PageTitle } from "../ui/parts";
import { address, go, Link } from "../ui/router";
import { sound } from "../ui/sound";
import { keepSeenGame, seenGame } from "./choices";

/** What is known of the ticket; moments are of the page's steady clock. */
interface Ticket {
  since: number;
  rating?: number;
  aiAt?: number;
  window?: number;
  open?: number;
  /** When somebody usually has come. */
  expectedAt?: number;
  noBot: boolean;
}

const now = () => performance.now();

/** The moment that is so far from now, if it is told. */
function later(wait: Duration | undefined): number | undefined {
  return wait && now() + span(wait);
}

export default function Wait() {
  const { query } = address.value;
  const rated = query.get("rated") === "1";
  const allowAi = query.get("ai") !== "0";
  const kind = kindOf(query);
  const { preset, size, clock } = kind;
  const ticket = useSignal<Ticket>({ since: now(), noBot: false });
  const ended = useSignal<EndedReason | null>(null);
  const hear = ({ message }: FindMatchResponse): Heard => {
    switch (message.case) {
      case "queued": {
        const { rating, aiAfter, expectedWait } = message.value;
        ticket.value = { ...ticket.value, rating, aiAt: later(aiAfter), expectedAt: later(expectedWait) };
        return "more";
      }
      case "progress": {
        const { waited, ratingWindow, openTickets, waitingForBot, expectedWait } = message.value;
        const since = now() - span(waited);
        ticket.value = {
          ...ticket.value,
          since,
          window: ratingWindow,
          open: openTickets,
          expectedAt: later(expectedWait),
          noBot: waitingForBot,
        };
        return "more";
      }
      case "matched":
        keepSeenGame(message.value.gameId);
        announce(t("wait.found"), true);
        sound("end");
        go(`/game/${message.value.gameId}`, true);
        return "end";
      case "ended":
        ended.value = message.value.reason;
        return "end";
      default:
        return message.case === "draining" ? "again" : "more";
    }
  };
  const follower = useMemo(() => {
    const accepts = [{ preset, boardSizes: [size], paces: [PACES[clock]] }];
    const wish = { accepts, rated, allowAi };
    return new Follower<FindMatchResponse>({
      open: (signal) => matchmaking.findMatch({ ...wish, seenGameId: seenGame() }, { signal }),
      hear,
    });
  }, [preset, size, clock, rated, allowAi]);
  useEffect(() => {
    void follower.run();
    return () => follower.stop();
  }, [follower]);
  const link = follower.link.value;
  const busy = link.state === "refused" && playing(link.why.reason) ? link.why.metadata.game_id : undefined;
  useEffect(() => {
    if (busy) go(`/game/${busy}`, true);
  }, [busy]);
  const cancel = () => {
    void matchmaking.cancelTicket({}).catch(() => undefined);
    go("/");
  };
  return (
    <div class="wait">
      <LinkBar link={link} onRetry={() => follower.retry()} />
      <PageTitle title={t("wait.short")}>{t("wait.title")}</PageTitle>
      <div class="searching" aria-hidden="true">
        <span class="black" />
        <span class="white" />
      </div>
      {ended.value === null ? (
        <Facts ticket={ticket.value} kind={kind} rated={rated} />
      ) : (
        <Ended reason={ended.value} />
      )}
      <button type="button" onClick={cancel}>
        {t("wait.cancel")}
      </button>
    </div>
  );
}

interface Kind {
  preset: string;
  size: number;
  clock: keyof typeof PACES;
}

/** What is looked for, by the page's address; the usual of what it does not say. */
function kindOf(query: URLSearchParams): Kind {
  const { preset, sizes } =
    MEETINGS.find((offer) => offer.preset === query.get("preset")) ?? offerOf("quick");
  const clocks = clocksOf(preset);
  const size = sizes.find((each) => each === Number(query.get("size"))) ?? sizes[0] ?? 9;
  return {
    preset,
    size,
    clock: clocks.find((each) => each === query.get("clock")) ?? clocks[0] ?? "perMove",
  };
}

function playing(reason: string): boolean {
  return reason === "ALREADY_PLAYING" || reason === "TICKET_MATCHED";
}

function Facts({ ticket, kind, rated }: { ticket: Ticket; kind: Kind; rated: boolean }) {
  return (
    <dl class="facts">
      <dt>{t("wait.waited")}</dt>
      <dd>
        <Waited since={ticket.since} />
      </dd>
      <dt>{t("wait.kind")}</dt>
      <dd>
        {presetText(kind.preset)} · {sizeText(kind.size)} · {controlText(timeControlOf(kind.clock))} ·{" "}
        {t(rated ? "rated" : "unrated")}
      </dd>
      {ticket.open !== undefined && (
        <>
          <dt>{t("wait.open")}</dt>
          <dd>{number(ticket.open)}</dd>
        </>
      )}
      {ticket.expectedAt !== undefined && (
        <>
          <dt>{t("wait.expected")}</dt>
          <dd>
            <Countdown until={ticket.expectedAt} now={now} />
          </dd>
        </>
      )}
      {ticket.rating !== undefined && (
        <>
          <dt>{t("wait.rating")}</dt>
          <dd>{ticket.window === undefined ? number(ticket.rating) : t("wait.window", windowOf(ticket))}</dd>
        </>
      )}
      {ticket.aiAt !== undefined && (
        <>
          <dt>{t("wait.ai")}</dt>
          <dd>{ticket.noBot ? t("wait.noBot") : <Countdown until={ticket.aiAt} now={now} />}</dd>
        </>
      )}
    </dl>
  );
}

function windowOf({ rating = 0, window = 0 }: Ticket): { from: number; to: number } {
  return { from: rating - window, to: rating + window };
}

/** How long one has waited, by the second. */
function Waited({ since }: { since: number }) {
  const text = useSignal("");
  useEffect(() => {
    const look = () => {
      const waited = Math.max(0, Math.floor((now() - since) / 1000));
      text.value = `${Math.floor(waited / 60)}:${String(waited % 60).padStart(2, "0")}`;
    };
    look();
    const timer = setInterval(look, 250);
    return () => clearInterval(timer);
  }, [since]);
  return <span class="time">{text.value}</span>;
}

function Ended({ reason }: { reason: EndedReason }) {
  const text = reason === EndedReason.MOVED ? t("wait.moved") : t("wait.ended");
  return (
    <p role="status">
      {text} <Link to="/">{t("home.short")}</Link>
    </p>
  );
}
