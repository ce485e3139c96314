/** What operators tell all players, above the page. */

import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { backoff, pause } from "../api/backoff";
import type { Notice } from "../api/notice";
import { session } from "../api/session";
import { t } from "../i18n/text";

const KEY = "nigiri.notice";
/** The page itself comes first: so long the notice can wait, in milliseconds. */
const LATER = 1_500;

const notice = signal<Notice>(read());
/** What was closed is not shown again. */
const closed = signal(sessionStorage.getItem(KEY) ?? "");

function read(): Notice {
  try {
    return { text: "", ...JSON.parse(localStorage.getItem(KEY) ?? "{}") };
  } catch {
    return { text: "" };
  }
}

addEventListener("storage", (event) => {
  if (event.key === KEY) notice.value = read();
});

function keep(next: Notice): void {
  localStorage.setItem(KEY, JSON.stringify(next));
  notice.value = next;
}

async function followLater(gone: AbortSignal): Promise<void> {
  for (let attempt = 0; !gone.aborted; attempt++) {
    await pause(LATER + backoff(attempt), gone);
    try {
      const { followNotice } = await import("../api/notice");
      return await followNotice(keep, gone);
    } catch {
      // Nobody serves the page now; the notice can wait.
    }
  }
}

export function NoticeBar() {
  const known = session.value !== null;
  useEffect(() => {
    if (!known) return;
    const gone = new AbortController();
    void followLater(gone.signal);
    return () => gone.abort();
  }, [known]);
  const { text, until = Number.POSITIVE_INFINITY } = notice.value;
  useEffect(() => {
    if (!text || !Number.isFinite(until)) return;
    // Longer than a timer can be told to wait, it is not needed either.
    const timer = setTimeout(() => keep({ text: "" }), Math.min(until - Date.now(), 2 ** 31 - 1));
    return () => clearTimeout(timer);
  }, [text, until]);
  if (!text || text === closed.value) return null;
  const close = () => {
    closed.value = text;
    sessionStorage.setItem(KEY, text);
  };
  return (
    <aside class="notice-bar" aria-label={t("notice.title")}>
      <p role="status">{text}</p>
      <button type="button" class="plain" onClick={close}>
        {t("close")}
      </button>
    </aside>
  );
}
