/** Signing in with the provider: away to its page. From there the way leads to `/sign-in`, with a code. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { session } from "../api/session";
import { t } from "../i18n/text";
import { errorText, Problem } from "../ui/parts";
import { firstUse } from "./first_use";

/** A sign-in that has begun in this tab. */
export const KEY = "nigiri.sign-in";

export interface Begun {
  id: string;
  state: string;
}

/** Where the provider sends people back to: one of the server's `--session-oidc-redirects`. */
function redirectUri(): string {
  return `${location.origin}/sign-in`;
}

/** Offers to sign in, where the server can; nothing else. */
export function SignInButton() {
  const offered = useSignal(false);
  const problem = useSignal("");
  const guest = !session.value || session.value.guest;
  useEffect(() => {
    if (!guest) return;
    // The page is there before what it takes to call the server.
    void firstUse()
      .then(() => import("../api/doors"))
      .then(({ doors }) => doors.getSignInOptions({}))
      .then(
        (options) => {
          offered.value = options.google;
        },
        () => undefined,
      );
  }, [guest, offered]);
  if (!offered.value || !guest) return null;
  const begin = async () => {
    try {
      const { doors } = await import("../api/doors");
      const begun = await doors.startSignIn({ redirectUri: redirectUri() });
      sessionStorage.setItem(KEY, JSON.stringify({ id: begun.signInId, state: begun.state } satisfies Begun));
      location.assign(begun.authorizationUrl);
    } catch (error) {
      problem.value = errorText(error);
    }
  };
  return (
    <div class="sign-in">
      <button type="button" onClick={begin}>
        {t("signIn.google")}
      </button>
      <span class="quiet">{t("signIn.why")}</span>
      <Problem text={problem.value} />
    </div>
  );
}
