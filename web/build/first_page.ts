/**
 * What the first page needs stands in the page itself, once for each language: its style, its script and its messages. So a new
 * visitor's browser asks for one thing, and has no second round trip to wait for. The server's policy names the style and the script by
 * their digests.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { OutputBundle, OutputChunk } from "rolldown";
import type { Plugin } from "vite";
import type { Message } from "../src/i18n/text";

/** What the script of the page gives to those that are loaded later is kept under this name. */
const SHARED = "nigiri";

/** The messages of a language. */
type Messages = Record<"noScript" | "home.lead", Message>;

/** Puts script, style and messages into the page. `catalogues` are the messages of each language; the page of the first is `index.html`. */
export function firstPage(folder: string, catalogues: Record<string, Messages>): Plugin {
  let script = "";
  let style = "";
  return {
    name: "first-page",
    apply: "build",
    enforce: "post",
    generateBundle: {
      // After all that others do to the scripts.
      order: "post",
      handler(_, bundle) {
        const entry = chunks(bundle).find((chunk) => chunk.isEntry);
        if (!entry) throw new Error("the page has no script");
        if (entry.imports.length > 0) throw new Error(`the page's script is in parts: ${entry.imports}`);
        const name = entry.fileName.split("/").at(-1) ?? "";
        for (const chunk of chunks(bundle)) {
          if (chunk !== entry) chunk.code = takeFromPage(chunk.code, name, chunk.fileName);
        }
        script = giveFromPage(entry.code);
        const sheets = [...(entry.viteMetadata?.importedCss ?? [])];
        style = sheets.map((sheet) => sourceOf(bundle, sheet)).join("");
        for (const part of [entry.fileName, ...sheets]) delete bundle[part];
      },
    },
    // When the page is written it has the names of all that it needs.
    writeBundle() {
      const page = join(folder, "index.html");
      const whole = fill(readFileSync(page, "utf8"), script, style);
      for (const [index, [language, messages]] of Object.entries(catalogues).entries()) {
        const file = index === 0 ? page : join(folder, `index.${language}.html`);
        writeFileSync(file, speaking(whole, language, messages));
      }
    },
  };
}

function chunks(bundle: OutputBundle): OutputChunk[] {
  return Object.values(bundle).filter((part) => part.type === "chunk");
}

function sourceOf(bundle: OutputBundle, file: string): string {
  const part = bundle[file];
  if (part?.type !== "asset") throw new Error(`${file} is not there`);
  return part.source.toString().trim();
}

/** A script that is loaded later takes from the page's what it would import from it. */
function takeFromPage(code: string, entry: string, file: string): string {
  const taken = code.replace(/import(?:\{([^}]*)\}from)?"\.\/([^"]+)";?/g, (whole, names = "", from) => {
    if (from !== entry) return whole;
    return names ? `const{${names.replaceAll(" as ", ":")}}=globalThis.${SHARED};` : "";
  });
  if (taken.includes(entry)) throw new Error(`${file} needs the page's script in a way that is not known`);
  return taken;
}

/** The page's script gives what it would export; and it is not where its files are. */
function giveFromPage(code: string): string {
  const exports = /export\{([^}]*)\};?\s*$/;
  const names = exports.exec(code)?.[1];
  if (!names) throw new Error("the page's script exports nothing");
  const given = names.split(",").map((name) => {
    const [inside, outside = inside] = name.trim().split(" as ");
    return `${outside}:${inside}`;
  });
  if (code.includes("__VITE_")) throw new Error("the page's script is not done yet");
  return code
    .replace(exports, `globalThis.${SHARED}={${given}};`)
    .replaceAll(/import\(([`"'])\.\//g, "import($1/assets/")
    .trim();
}

/** The page with its script and style in it instead of beside it. */
function fill(page: string, script: string, style: string): string {
  for (const text of [script, style]) {
    if (/<\/(?:script|style)|<!--/i.test(text))
      throw new Error("script or style would end the element that it is in");
  }
  const bare = page.replace(
    /\s*<script type="module"[^>]*><\/script>|\s*<link rel="(?:stylesheet|modulepreload)"[^>]*>/g,
    "",
  );
  const parts = `<style>${style}</style>\n    <script type="module">${script}</script>\n  </head>`;
  return bare.replace("</head>", () => parts);
}

/** The page in a language. */
function speaking(page: string, language: string, messages: Messages): string {
  // Nothing in it can end the element.
  const words = JSON.stringify(messages).replaceAll("<", "\\u003c");
  const text = (message: Message) =>
    String(message).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
  return page
    .replace('<html lang="en">', `<html lang="${language}">`)
    .replace(/(<meta name="description" content=")[^"]*/, (_, before) => before + text(messages["home.lead"]))
    .replace(/(<noscript><p>)[^<]*/, (_, before) => before + text(messages.noScript))
    .replace("<style>", () => `<script type="application/json" id="words">${words}</script>\n    <style>`);
}
