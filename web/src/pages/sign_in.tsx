/** Back from the provider's page, with a code. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { adopt, doors } from "../api/doors";
import { session } from "../api/session";
import { t } from "../i18n/text";
import { errorText, PageTitle, Problem } from "../ui/parts";
import { go, Link } from "../ui/router";
import { type Begun, KEY } from "./sign_in_button";

/** What was a guest becomes a member, with all games. */
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
