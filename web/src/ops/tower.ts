/** The operators' calls, and looks at the system that are repeated while the page is seen. */

import { createClient } from "@connectrpc/connect";
import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { transport } from "../api/clients";
import { type Refusal, refusal } from "../api/refusal";
import { OperatorService } from "../gen/nigiri/operator/v1/operator_service_pb";

export const tower = createClient(OperatorService, transport);

/** How often the system is looked at, in milliseconds. */
const EVERY = 2_000;
/** A look that takes longer than this has failed, in milliseconds. */
const PATIENCE = 10_000;

/** What the last look saw, and why the one after it failed, if it did. */
export interface Look<T> {
  value: T | null;
  why: Refusal | null;
  /** When `value` was seen, in milliseconds since 1970. */
  at: number;
  /** Looks again at once. */
  again: () => void;
}

/** How a look is made; it is given up when the signal says so. */
export type Ask<T> = (how: { signal: AbortSignal; timeoutMs: number }) => Promise<T>;

/** Looks every two seconds while the page is seen. `what` names what is looked at: when it changes, looking begins anew. */
export function useLook<T>(what: string, ask: Ask<T>, every = EVERY): Look<T> {
  const seen: Signal<Omit<Look<T>, "again">> = useSignal({ value: null, why: null, at: 0 });
  const wake = useSignal(0);
  useEffect(() => {
    seen.value = { value: null, why: null, at: 0 };
  }, [what, seen]);
  useEffect(() => {
    const gone = new AbortController();
    let timer = 0;
    const look = async () => {
      clearTimeout(timer);
      if (document.visibilityState === "hidden") return;
      try {
        const value = await ask({ signal: gone.signal, timeoutMs: PATIENCE });
        if (!gone.signal.aborted) seen.value = { value, why: null, at: Date.now() };
      } catch (error) {
        if (!gone.signal.aborted) seen.value = { ...seen.value, why: refusal(error) };
      }
      if (!gone.signal.aborted) timer = window.setTimeout(look, every);
    };
    const shown = () => {
      if (document.visibilityState === "visible") void look();
    };
    document.addEventListener("visibilitychange", shown);
    void look();
    return () => {
      gone.abort();
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", shown);
    };
  }, [what, wake.value, every, seen]);
  return {
    ...seen.value,
    again: () => {
      wake.value += 1;
    },
  };
}
