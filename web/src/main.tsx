import { render } from "preact";
import { App } from "./app";
import "./style/base.css";
import "./style/controls.css";
import "./style/board.css";
import "./style/game.css";
import "./style/lessons.css";
import "./style/pages.css";
import { obeyPreferences } from "./ui/prefs";

const root = document.getElementById("app");
if (root) obeyPreferences().then(() => render(<App />, root));
