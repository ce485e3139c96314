/** What one likes, and one's account. */

import { useSignal } from "@preact/signals";
import { account } from "../api/clients";
import { forget, renamed, session } from "../api/session";
import { t } from "../i18n/text";
import { LanguageSelect } from "../ui/language_select";
import { Choice, Dialog, errorText, PageTitle, Problem, Switch } from "../ui/parts";
import { type Preferences, prefer, preferences, type Theme } from "../ui/prefs";
import { go } from "../ui/router";
import Blocked from "./blocks";

export default function Settings() {
  const { theme, sound, haptic, coordinates, aim } = preferences.value;
  const flip = (name: keyof Preferences) => (on: boolean) => prefer({ [name]: on });
  return (
    <div class="settings narrow">
      <PageTitle title={t("settings.title")}>{t("settings.title")}</PageTitle>
      <label class="field">
        <span>{t("settings.language")}</span>
        <LanguageSelect />
      </label>
      <Choice<Theme>
        legend={t("settings.theme")}
        value={theme}
        onChange={(value) => prefer({ theme: value })}
        options={[
          { value: "auto", text: t("theme.auto") },
          { value: "light", text: t("theme.light") },
          { value: "dark", text: t("theme.dark") },
          { value: "contrast", text: t("theme.contrast") },
        ]}
      />
      <Choice
        legend={t("settings.aim")}
        value={aim === null ? "auto" : aim ? "yes" : "no"}
        onChange={(value) => prefer({ aim: value === "auto" ? null : value === "yes" })}
        options={[
          { value: "auto", text: t("aim.auto") },
          { value: "yes", text: t("aim.yes") },
          { value: "no", text: t("aim.no") },
        ]}
      />
      <div class="stack">
        <Switch text={t("settings.coordinates")} on={coordinates} onChange={flip("coordinates")} />
        <Switch text={t("settings.sound")} on={sound} onChange={flip("sound")} />
        <Switch text={t("settings.haptic")} on={haptic} onChange={flip("haptic")} />
      </div>
      {session.value && <Blocked />}
      <Account />
    </div>
  );
}

function Account() {
  const who = session.value;
  const name = useSignal(who?.name ?? "");
  const problem = useSignal("");
  const done = useSignal("");
  const asking = useSignal<"" | "signOut" | "forgetMe">("");
  if (!who) return null;
  const rename = async (event: Event) => {
    event.preventDefault();
    problem.value = "";
    done.value = "";
    try {
      const { player } = await account.renamePlayer({ name: name.value });
      if (player) renamed(player.name);
      done.value = t("settings.renamed");
    } catch (error) {
      problem.value = errorText(error);
    }
  };
  const leave = async () => {
    try {
      if (asking.value === "forgetMe") await account.deleteAccount({});
      else await endThisSession();
    } catch (error) {
      problem.value = errorText(error);
      asking.value = "";
      return;
    }
    forget();
    go("/");
  };
  return (
    <section aria-labelledby="account">
      <h2 id="account">{t("settings.account")}</h2>
      <form class="row" onSubmit={rename}>
        <label class="field">
          <span>{t("home.name")}</span>
          <input
            type="text"
            maxLength={24}
            value={name.value}
            onInput={(event) => {
              name.value = event.currentTarget.value;
            }}
          />
        </label>
        <button type="submit">{t("settings.rename")}</button>
      </form>
      <Problem text={problem.value} />
      <p role="status">{done.value}</p>
      <div class="row">
        <button type="button" onClick={() => (asking.value = "signOut")}>
          {t("settings.signOut")}
        </button>
        <button type="button" class="careful" onClick={() => (asking.value = "forgetMe")}>
          {t("settings.forgetMe")}
        </button>
      </div>
      {asking.value && (
        <Dialog title={t(`settings.${asking.value}`)} onClose={() => (asking.value = "")}>
          <p>{t(`settings.${asking.value}Text`)}</p>
          <div class="row end">
            <button type="button" onClick={() => (asking.value = "")}>
              {t("cancel")}
            </button>
            <button type="button" class="main careful" onClick={leave}>
              {t(`settings.${asking.value}`)}
            </button>
          </div>
        </Dialog>
      )}
    </section>
  );
}

async function endThisSession(): Promise<void> {
  const { sessions } = await account.listSessions({});
  const mine = sessions.find((one) => one.current);
  if (mine) await account.endSession({ sessionId: mine.id });
}
