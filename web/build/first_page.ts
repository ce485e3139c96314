/**
 * The first page is one answer: its script, its style and the words of one language stand in the HTML itself, once for each language. What it takes later is fetched
 * as ever, and shares what is already there: in place of each file whose code stands in the page, there is one that hands on what that code exports.
 */

import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type Plugin, parseAst } from "vite";

/** Where the code in the page keeps what it exports, by the names of the files that it stands for. */
const SHARED = "globalThis.nigiri";

/** A piece of the syntax tree. */
interface Node {
  type: string;
  start: number;
  end: number;
  [key: string]: unknown;
}

/** A name that a module takes or gives, and what it is called inside. */
interface Name {
  outside: string;
  inside: string;
}

/** A module, taken apart. */
interface Module {
  /** The code without its imports and exports; other files are asked for through what is shared. */
  code: string;
  imports: { from: string; names: Name[] }[];
  exports: Name[];
}

/** All pieces of a tree. */
function* walk(node: unknown): Generator<Node> {
  if (Array.isArray(node)) for (const one of node) yield* walk(one);
  else if (node && typeof node === "object") {
    if (typeof (node as Node).type === "string") yield node as Node;
    for (const [key, value] of Object.entries(node)) if (key !== "parent") yield* walk(value);
  }
}

/** The name of a file beside this one. */
function beside(source: unknown, file: string): string {
  const { value: text, quasis } = source as { value?: unknown; quasis?: { value: { cooked: string } }[] };
  const value = quasis?.length === 1 ? quasis[0]?.value.cooked : text;
  if (typeof value !== "string" || !/^\.\/[^/]+\.js$/.test(value)) {
    throw new Error(`${file} takes something from ${value}, which is no file beside it`);
  }
  return value.slice(2);
}

/** What a name is in the tree: an identifier, or a text. */
function nameOf(node: unknown): string {
  const { name, value } = node as { name?: string; value?: string };
  return name ?? value ?? "";
}

/** Takes the code of a file apart. What cannot stand in the page ends the build. */
export function takeApart(code: string, file: string): Module {
  const tree = parseAst(code) as unknown as { body: Node[] };
  const module: Module = { code: "", imports: [], exports: [] };
  const changes: { start: number; end: number; text: string }[] = [];
  for (const node of tree.body) {
    if (node.type === "ImportDeclaration") {
      const names = (node.specifiers as Node[]).map((one) => {
        if (one.type === "ImportNamespaceSpecifier") throw new Error(`${file} takes a whole file at once`);
        const outside = one.type === "ImportDefaultSpecifier" ? "default" : nameOf(one.imported);
        return { outside, inside: nameOf(one.local) };
      });
      module.imports.push({ from: beside(node.source, file), names });
    } else if (node.type === "ExportNamedDeclaration" && !node.source && !node.declaration) {
      for (const one of node.specifiers as Node[]) {
        module.exports.push({ outside: nameOf(one.exported), inside: nameOf(one.local) });
      }
    } else if (node.type.startsWith("Export")) {
      throw new Error(`${file} gives something in a way that is not known here: ${node.type}`);
    } else continue;
    changes.push({ start: node.start, end: node.end, text: "" });
  }
  for (const node of walk(tree)) {
    if (node.type === "ImportExpression") {
      const { start, end } = node;
      changes.push({ start, end, text: `${SHARED}.fetch("${beside(node.source, file)}")` });
    }
  }
  changes.sort((a, b) => a.start - b.start);
  let at = 0;
  for (const { start, end, text } of changes) {
    module.code += code.slice(at, start) + text;
    at = end;
  }
  module.code += code.slice(at);
  return module;
}

/** Names in braces: `{a, b: c}`. */
function braces(names: Name[], say: (name: Name) => string): string {
  return `{${names.map(say).join(",")}}`;
}

/** A module as code that stands in the page. */
function inPage(file: string, { code, imports, exports }: Module): string {
  const taken = imports
    .filter(({ names }) => names.length > 0)
    .map(({ from, names }) => {
      const parts = braces(names, ({ outside, inside }) => `${JSON.stringify(outside)}:${inside}`);
      return `const ${parts}=${SHARED}.files["${from}"];`;
    });
  const given = braces(
    exports,
    ({ outside, inside }) => `get ${JSON.stringify(outside)}(){return ${inside}}`,
  );
  return `${SHARED}.files["${file}"]=(()=>{${taken.join("")}${code}\nreturn ${given}})();`;
}

/** What lies at a module's address when its code stands in the page. */
export function handOn(file: string, { exports }: Module): string {
  const parts = braces(exports, ({ outside }) => `${JSON.stringify(outside)}:_${place(outside)}`);
  const names = exports.map(({ outside }) => `_${place(outside)} as ${outside}`);
  return `const ${parts}=${SHARED}.files["${file}"];export{${names.join(",")}};`;
}

/** A name that no word of the language is, for a name that may be one. */
function place(name: string): string {
  return [...name].map((letter) => letter.codePointAt(0)).join("_");
}

/** Files are fetched once, from this folder, and not at all when they stand in the page. */
function beginning(assets: string): string {
  const files = `${SHARED}.files`;
  return `${SHARED}={files:{},fetch:f=>f in ${files}?Promise.resolve(${files}[f]):import("/${assets}/"+f)};`;
}

/** The files that a module needs before it runs, in the order in which they run. */
function needed(entry: string, modules: (file: string) => Module, found: string[] = []): string[] {
  for (const { from } of modules(entry).imports) if (!found.includes(from)) needed(from, modules, found);
  if (!found.includes(entry)) found.push(entry);
  return found;
}

/** Text that ends the element that it is to stand in, or may. */
function fitting(text: string, what: string): string {
  if (/<\/(script|style)|<!--/i.test(text)) throw new Error(`${what} has the end of an element in it`);
  return text;
}

/** Puts script, style and words into the page, and writes it once for each language that has words in a file of its own. */
function write(folder: string, assets: string, entry: string, words: Map<string, string>): void {
  const lying = (file: string) => join(folder, assets, file);
  const read = new Map<string, Module>();
  const modules = (file: string) => {
    let module = read.get(file);
    if (!module) {
      module = takeApart(readFileSync(lying(file), "utf8"), file);
      read.set(file, module);
    }
    return module;
  };
  const page = readFileSync(join(folder, "index.html"), "utf8");
  const sheet = basename(page.match(/<link rel="stylesheet"[^>]* href="([^"]+)">/)?.[1] ?? "");
  const files = needed(entry, modules);
  const code = files.map((file) => inPage(file, modules(file)));
  const style = fitting(readFileSync(lying(sheet), "utf8").trim(), sheet);
  const bare = page.replace(/^.*<link rel="(modulepreload|stylesheet)".*\n/gm, "");
  for (const [language, own] of [["en", ""], ...words]) {
    if (own && modules(own).imports.length > 0)
      throw new Error(`${own} has words and takes something: it runs first`);
    const said = own ? [inPage(own, modules(own))] : [];
    const script = fitting([beginning(assets), ...said, ...code].join("\n"), entry);
    const inside = `<style>${style}</style>\n    <script type="module">${script}</script>`;
    const html = bare
      .replace('<html lang="en">', `<html lang="${language}">`)
      .replace(/<script type="module"[^>]*><\/script>/, () => inside);
    if (!html.includes(inside)) throw new Error("the page has no script to put the code in place of");
    writeFileSync(join(folder, language === "en" ? "index.html" : `index.${language}.html`), html);
  }
  for (const file of files) writeFileSync(lying(file), handOn(file, modules(file)));
}

/** What a module gives and may change later, as far as it can be told from its top: it was declared by `let`. */
export function changing(code: string): string[] {
  const tree = parseAst(code) as unknown as { body: Node[] };
  const lets = (node: Node | null | undefined): string[] =>
    node?.type === "VariableDeclaration" && node.kind === "let"
      ? (node.declarations as Node[]).map((one) => nameOf(one.id))
      : [];
  const declared = tree.body.flatMap(lets);
  return tree.body
    .filter((node) => node.type === "ExportNamedDeclaration")
    .flatMap((node) => [
      ...lets(node.declaration as Node | null),
      ...(node.specifiers as Node[])
        .map((one) => nameOf(one.local))
        .filter((name) => declared.includes(name)),
    ]);
}

/** A name for what a build is made of: another one when anything of it has changed. */
function release(root: string): string {
  const hash = createHash("sha256");
  const parts = ["src", "build", "index.html", "package-lock.json", "vite.config.ts"];
  const files = parts.flatMap((part) => {
    const path = join(root, part);
    if (!statSync(path).isDirectory()) return [part];
    return readdirSync(path, { recursive: true, encoding: "utf8" }).map((file) => join(part, file));
  });
  for (const file of files.sort()) {
    const path = join(root, file);
    if (statSync(path).isFile()) hash.update(file).update("\0").update(readFileSync(path)).update("\0");
  }
  return hash.digest("hex").slice(0, 10);
}

/**
 * Makes the page one answer: `index.html` for English and for whoever speaks none of the languages that have a file of words, `index.hi.html` for Hindi, and so on.
 *
 * All other files lie in a folder that is named after what the build is made of. A file with the same name as one of another build could have been left by it in a
 * browser, and hand on what does not stand in this page, or bring with it once more what does.
 */
export function firstPage(): Plugin {
  let assets = "";
  return {
    name: "first-page",
    apply: "build",
    config(config) {
      assets = `assets/${release(config.root ?? process.cwd())}`;
      return { build: { assetsDir: assets } };
    },
    transform(code, id) {
      // What is handed on is handed on once: a later change of it would be seen on one side only.
      if (!/\/src\/.*\.tsx?$/.test(id) || id.includes("/src/gen/") || id.includes("node_modules")) return;
      for (const name of changing(code)) {
        this.error(`${id} exports ${name}, which may change: let it be an object with what changes in it`);
      }
    },
    writeBundle({ dir }, bundle) {
      const words = new Map<string, string>();
      let entry = "";
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== "chunk") continue;
        const language = chunk.facadeModuleId?.match(/\/i18n\/(\w\w)\.ts$/)?.[1];
        if (language) words.set(language, basename(chunk.fileName));
        if (chunk.isEntry) entry = basename(chunk.fileName);
      }
      if (!dir || !entry) throw new Error("the build says no folder, or has no script that begins");
      write(dir, assets, entry, words);
    },
  };
}
