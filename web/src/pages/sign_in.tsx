/** Signing in with the provider: away to its page, and back to `/sign-in` with a code. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { adopt, doors, session } from "../api/session";
import { t } from "../i18n/text";
import { errorText, PageTitle, Problem } from "../ui/parts";
import { go, Link } from "../ui/router";

/** A sign-in that has begun in this tab. */
const KEY = "nigiri.sign-in";

interface Begun {
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
    doors.getSignInOptions({}).then(
      (options) => {
        offered.value = options.google;
      },
      () => undefined,
    );
  }, [guest, offered]);
  if (!offered.value || !guest) return null;
  const begin = async () => {
    try {
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

/** Back from the provider: what was a guest becomes a member, with all games. */
export default function SignIn() {
  const problem = useSignal("");
  useEffect(() => {
    void finish().then(
      () => go("/", true),
      (error) => {
        problem.value = errorText(error);
      },
    );
  }, [problem]);
  return (
    <div class="narrow">
      <PageTitle title={t("signIn.title")}>{t("signIn.title")}</PageTitle>
      <Problem text={problem.value} />
      {problem.value ? <Link to="/">{t("home.short")}</Link> : <p class="loading">{t("loading")}</p>}
    </div>
  );
}

async function finish(): Promise<void> {
  const query = new URLSearchParams(location.search);
  const begun = JSON.parse(sessionStorage.getItem(KEY) ?? "{}") as Partial<Begun>;
  // The code works once, and stays neither in the address nor here.
  sessionStorage.removeItem(KEY);
  history.replaceState(null, "", "/sign-in");
  const answer = await doors.finishSignIn({
    signInId: begun.id ?? "",
    state: begun.state === query.get("state") ? (begun.state ?? "") : "",
    code: query.get("code") ?? "",
    subject: { guestRefreshToken: session.value?.guest ? session.value.refresh : "" },
  });
  adopt(answer.player, answer.tokens);
}
