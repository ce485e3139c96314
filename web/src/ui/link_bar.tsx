/** The bar that says what goes on with the connection; nothing while all is well. */

import { useEffect, useState } from "preact/hooks";
import type { Link } from "../api/follow";
import { t } from "../i18n/text";
import { Countdown } from "./game_clock";
import { refusalText } from "./parts";

/** A connection that is up within this time is nobody's business, in milliseconds. */
const PATIENCE = 600;

const now = () => performance.now();

export function LinkBar({ link, onRetry }: { link: Link; onRetry: () => void }) {
  const quiet = link.state === "live" || link.state === "ended";
  const [patient, setPatient] = useState(true);
  useEffect(() => {
    setPatient(true);
    if (quiet) return;
    const timer = setTimeout(() => setPatient(false), PATIENCE);
    return () => clearTimeout(timer);
  }, [quiet]);
  if (quiet || (patient && link.state !== "refused")) return null;
  return (
    <div class={`link-bar ${link.state}`} role="status">
      <span class="dot" aria-hidden="true" />
      {link.state === "connecting" && t("link.connecting")}
      {link.state === "moving" && t("link.moving")}
      {link.state === "refused" && refusalText(link.why)}
      {link.state === "waiting" && (
        <>
          <span>{t("link.lost")}</span> <Countdown until={link.next} now={now} />
          <button type="button" class="plain" onClick={onRetry}>
            {t("link.now")}
          </button>
        </>
      )}
    </div>
  );
}
