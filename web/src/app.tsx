/** The page: its frame, and which page is in it. */

import { signal, useSignal } from "@preact/signals";
import type { ComponentChild } from "preact";
import { useEffect } from "preact/hooks";
import { session } from "./api/session";
import { Paints } from "./board/Paints";
import { t } from "./i18n/text";
import { Home } from "./pages/home";
import { Welcome } from "./pages/name";
import { Announcer } from "./ui/announce";
import { LanguageSelect } from "./ui/language_select";
import { NoticeBar } from "./ui/notice_bar";
import { PageTitle } from "./ui/parts";
import { address, Link } from "./ui/router";

/** Pages that are loaded when somebody goes there. */
const later = {
  game: () => import("./pages/game"),
  wait: () => import("./pages/wait"),
  watch: () => import("./pages/watch"),
  player: () => import("./pages/player"),
  leaders: () => import("./pages/leaders"),
  rules: () => import("./pages/rules"),
  learn: () => import("./pages/learn"),
  "sign-in": () => import("./pages/sign_in"),
  join: () => import("./pages/join"),
  settings: () => import("./pages/settings"),
  ops: () => import("./pages/ops"),
} as const;

/** So long after the first picture comes what is below it, in milliseconds. */
const BELOW = 100;

type Later = keyof typeof later;
type LaterPage = (props: { rest: string }) => ComponentChild;

const loaded = signal<Partial<Record<Later, LaterPage>>>({});
const failed = signal(false);

export function App() {
  return (
    <>
      <Paints />
      <Announcer />
      <a class="skip" href="#main">
        {t("skip")}
      </a>
      <header class="top">
        <Link to="/" class="brand">
          <svg viewBox="0 0 40 28" aria-hidden="true">
            <circle class="body black" cx="14" cy="14" r="11.5" />
            <circle class="body white" cx="26" cy="14" r="11.5" />
          </svg>
          Nigiri
        </Link>
        <nav aria-label={t("menu")}>
          <Link to="/watch">{t("menu.watch")}</Link>
          <Link to="/leaders">{t("menu.leaders")}</Link>
          <Link to="/rules">{t("menu.rules")}</Link>
          <Link to="/learn">{t("menu.learn")}</Link>
        </nav>
        <div class="me">
          {session.value && (
            <Link to={`/player/${session.value.id}`} class="my-name">
              {session.value.name}
            </Link>
          )}
          <Link to="/settings" class="gear" aria-label={t("settings.title")}>
            <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
              <path d="M4 7h9M17 7h3M4 17h3M11 17h9" />
              <circle cx="15" cy="7" r="2.4" />
              <circle cx="9" cy="17" r="2.4" />
            </svg>
          </Link>
        </div>
      </header>
      <NoticeBar />
      <main id="main">
        <Page />
      </main>
      <Foot />
    </>
  );
}

/** It is below everything, and names each language in its own script, which takes long to lay out: it comes after the first picture of the page. */
function Foot() {
  const { path } = address.value;
  const drawn = useSignal(false);
  useEffect(() => {
    const timer = setTimeout(() => {
      drawn.value = true;
    }, BELOW);
    return () => clearTimeout(timer);
  }, [drawn]);
  if (path.startsWith("/game/") || !drawn.value) return null;
  return (
    <footer>
      <span>Nigiri</span>
      <label>
        <span class="unseen">{t("settings.language")}</span>
        <LanguageSelect />
      </label>
    </footer>
  );
}

function Page() {
  const { path } = address.value;
  const [, first = "", rest = ""] = path.split("/");
  switch (first) {
    case "":
      return <Home />;
    // These need somebody who is signed in; else that is done first.
    case "wait":
    case "game":
      return session.value ? <Loaded which={first} rest={rest} /> : <Welcome />;
    default:
      return Object.hasOwn(later, first) ? <Loaded which={first as Later} rest={rest} /> : <Nowhere />;
  }
}

function Loaded({ which, rest }: { which: Later; rest: string }) {
  const Found = loaded.value[which];
  useEffect(() => {
    if (Found) return;
    failed.value = false;
    later[which]().then(
      (module) => {
        loaded.value = { ...loaded.value, [which]: module.default };
      },
      () => {
        failed.value = true;
      },
    );
  }, [which, Found]);
  // The operators' page goes on looking while one goes through its parts.
  if (Found) return <Found key={which === "ops" ? which : rest} rest={rest} />;
  return failed.value ? <p role="alert">{t("why.offline")}</p> : <p class="loading">{t("loading")}</p>;
}

function Nowhere() {
  return (
    <div class="narrow">
      <PageTitle title={t("nowhere")}>{t("nowhere")}</PageTitle>
      <Link to="/">{t("home.short")}</Link>
    </div>
  );
}
