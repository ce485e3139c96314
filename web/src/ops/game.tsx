/** One game: watched live, with its record, and with all that an operator can do to it. */

import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { moment, seconds } from "../api/times";
import { Board } from "../board/Board";
import { presetText, sizeText, timeText } from "../game/kinds";
import { LiveGame } from "../game/live";
import { boardOf, deadOf, type GameView, ownersOf } from "../game/view";
import { resultText } from "../game/words";
import { Color, type GameRecord } from "../gen/nigiri/game/v1/game_pb";
import type { GetGameResponse } from "../gen/nigiri/operator/v1/operator_service_pb";
import { o } from "../i18n/ops/text";
import { number, t } from "../i18n/text";
import { PlayerCard } from "../pages/game/player_card";
import { LinkBar } from "../ui/link_bar";
import { Choice, Switch } from "../ui/parts";
import { Link } from "../ui/router";
import { DeedButton } from "./deed";
import { Acts, Pair, Seen, Table } from "./parts";
import { type Look, tower, useLook } from "./tower";
import { eventText } from "./words";

export function OneGame({ id }: { id: string }) {
  const look = useLook(id, (how) => tower.getGame({ gameId: id }, how), 5_000);
  return (
    <>
      <h2>{o("game.title", { id: id.slice(0, 8) })}</h2>
      <Seen look={look}>
        {(found) => (
          <div class="one-game">
            <Watched id={id} />
            <div class="stack">
              <Facts id={id} found={found} />
              <GameDeeds id={id} found={found} look={look} />
              <h3>{o("game.acts")}</h3>
              <Acts acts={found.acts} on={false} />
              <h3>{o("game.record")}</h3>
              {found.record && <Record record={found.record} />}
            </div>
          </div>
        )}
      </Seen>
    </>
  );
}

function Facts({ id, found }: { id: string; found: GetGameResponse }) {
  const { snapshot, watchers, record } = found;
  if (!snapshot?.settings) return null;
  const { settings, seats, result } = snapshot;
  return (
    <>
      <Pair seats={seats} />
      <p>
        {presetText(settings.preset)} · {sizeText(settings.boardSize)} ·{" "}
        {t("komiOf", { komi: number(settings.komi) })} · {timeText(settings)} ·{" "}
        {t(settings.rated ? "rated" : "unrated")}
        <br />
        {result ? <strong>{resultText(result)}</strong> : o("game.live")} ·{" "}
        {o("game.watchers", { n: watchers })}
        {record?.archived && ` · ${o("game.archived")}`}
      </p>
      <p class="quiet">
        {o("game.id")} <code>{id}</code> · <Link to={`/game/${id}`}>{o("game.board")}</Link>
      </p>
    </>
  );
}

/** The game as it is played: an operator may follow private ones as well. */
function Watched({ id }: { id: string }) {
  const game = useMemo(() => new LiveGame(id, "", () => undefined), [id]);
  useEffect(() => {
    game.start();
    return () => game.stop();
  }, [game]);
  const view = game.view.value;
  return (
    <div class="watched">
      <LinkBar link={game.link.value} onRetry={() => game.retry()} />
      {view && (
        <>
          <PlayerCard game={game} view={view} color={Color.WHITE} />
          <WatchedBoard view={view} />
          <PlayerCard game={game} view={view} color={Color.BLACK} />
        </>
      )}
    </div>
  );
}

function WatchedBoard({ view }: { view: GameView }) {
  const size = view.settings.boardSize;
  const verdict = view.verdict ?? view.state.agreement?.verdict;
  const { moves } = view.timeline;
  return (
    <Board
      size={size}
      stones={boardOf(view)}
      label={t("board.label", { size: sizeText(size) })}
      last={moves[moves.length - 1]?.point ?? null}
      owner={verdict && ownersOf(verdict)}
      dead={verdict && deadOf(verdict, size)}
    />
  );
}

function GameDeeds({ id, found, look }: { id: string; found: GetGameResponse; look: Look<GetGameResponse> }) {
  const winner = useSignal<Color>(Color.BLACK);
  const counts = useSignal(true);
  const time = useSignal(60);
  const gameId = id;
  if (found.snapshot?.result) {
    if (!found.snapshot.settings?.rated) return null;
    return (
      <div class="row">
        <DeedButton
          act="annul"
          careful
          perform={(reason) => tower.annulGame({ gameId, reason })}
          onDone={look.again}
        />
      </div>
    );
  }
  return (
    <div class="row">
      <DeedButton
        act="adjudicate"
        careful
        perform={(reason) =>
          tower.adjudicateGame({ gameId, winner: winner.value, counts: counts.value, reason })
        }
        onDone={look.again}
        fields={() => (
          <>
            <Choice
              legend={o("do.winner")}
              value={winner.value}
              onChange={(value) => (winner.value = value)}
              options={[
                { value: Color.BLACK, text: t("black") },
                { value: Color.WHITE, text: t("white") },
                { value: Color.UNSPECIFIED, text: o("do.nobody") },
              ]}
            />
            <Switch text={o("do.counts")} on={counts.value} onChange={(on) => (counts.value = on)} />
          </>
        )}
      />
      <DeedButton
        act="giveTime"
        perform={(reason) => tower.giveTime({ gameId, time: seconds(time.value), reason })}
        onDone={look.again}
        fields={() => (
          <label class="field">
            <span>{o("do.seconds")}</span>
            <input
              type="number"
              min={1}
              max={3600}
              required
              value={time.value}
              onInput={(event) => (time.value = event.currentTarget.valueAsNumber || 0)}
            />
          </label>
        )}
      />
      <DeedButton
        act="abort"
        careful
        perform={(reason) => tower.abortGame({ gameId, reason })}
        onDone={look.again}
      />
    </div>
  );
}

/** Entries, the newest first. */
function Record({ record }: { record: GameRecord }) {
  const heads = ["#", o("game.when"), o("game.what")];
  return (
    <div class="record">
      <Table label={o("game.record")} heads={heads} empty={record.entries.length === 0}>
        {record.entries.toReversed().map(({ sequence, eventTime, events }) => (
          <tr key={String(sequence)}>
            <td>{String(sequence)}</td>
            <td>{eventTime && new Date(moment(eventTime)).toISOString().slice(11, 23)}</td>
            <td class="text">
              {events.map((event) => {
                const { name, detail } = eventText(event);
                return (
                  <div key={name}>
                    {name} <small class="quiet">{detail}</small>
                  </div>
                );
              })}
            </td>
          </tr>
        ))}
      </Table>
    </div>
  );
}
