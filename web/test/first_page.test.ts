import { describe, expect, it } from "vitest";
import { changing, handOn, takeApart } from "../build/first_page";

/** Runs what `takeApart` makes of a module, as it stands in the page. */
function run(code: string, files: Record<string, unknown>): Record<string, unknown> {
  const { code: body, imports, exports } = takeApart(code, "it.js");
  const taken = imports.flatMap(({ from, names }) =>
    names.map(({ outside, inside }) => `const ${inside} = files["${from}"]["${outside}"];`),
  );
  const given = exports.map(({ outside, inside }) => `"${outside}": ${inside}`).join(",");
  return new Function("files", `"use strict";${taken.join("")}${body};return {${given}};`)(files);
}

describe("code that stands in the page", () => {
  it("takes from other files and gives what it gave", () => {
    const code =
      'import{a as e,default as t}from"./other.js";var n=e+1;function r(){return t}export{n as default,r as b};';
    const given = run(code, { "other.js": { a: 1, default: "words" } });
    expect(given.default).toBe(2);
    expect((given.b as () => string)()).toBe("words");
  });

  it("asks for other files where they lie", () => {
    const { code } = takeApart("var e=()=>import(`./game-1.js`),t=()=>import('./wait-2.js');", "it.js");
    expect(code).toBe(
      'var e=()=>globalThis.nigiri.fetch("game-1.js"),t=()=>globalThis.nigiri.fetch("wait-2.js");',
    );
  });

  it("ends the build where it cannot stand there", () => {
    for (const code of [
      'import*as e from"./other.js";',
      'import{a as e}from"https://elsewhere/other.js";',
      "var e=t=>import(t);",
      'export*from"./other.js";',
      "export default 1;",
      "export var e=1;",
    ]) {
      expect(() => takeApart(code, "it.js"), code).toThrow(/it\.js/);
    }
  });

  it("leaves a file of one line that hands on the same", () => {
    const line = handOn("it.js", takeApart("var e=1,t=2;export{e as default,t as _};", "it.js"));
    const parts = line.replace(
      /export\{(.*)\};$/,
      (_, names: string) => `return {${names.replace(/(\w+) as (\w+)/g, "$2:$1")}}`,
    );
    const table = { nigiri: { files: { "it.js": { default: 1, _: 2 } } } };
    expect(new Function("globalThis", parts)(table)).toEqual({ default: 1, _: 2 });
  });

  it("knows what may change after it was handed on", () => {
    expect(changing("export let a = 1; let b, c = 2; export { b as d }; export const e = 3;")).toEqual([
      "a",
      "b",
    ]);
    expect(changing("const a = 1; function b() { let a = 2; return a; } export { a, b };")).toEqual([]);
  });
});
