import { render } from "preact";
import { App } from "./app";
import { firstUse } from "./pages/first_use";
import "./style/base.css";
import "./style/controls.css";
import "./style/board.css";
import "./style/game.css";
import "./style/lessons.css";
import "./style/pages.css";
import { obeyPreferences } from "./ui/prefs";

const root = document.getElementById("app");
if (root) obeyPreferences().then(() => render(<App />, root));

/** What is needed next is fetched before it is asked for. Where that fails, it is tried again when it is needed. */
void firstUse()
  .then(() => Promise.all([import("./api/clients"), import("./pages/game")]))
  .catch(() => undefined);
