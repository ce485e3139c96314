import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";
import { firstPage } from "./build/first_page.ts";
import { en } from "./src/i18n/en.ts";
import hi from "./src/i18n/hi.ts";
import id from "./src/i18n/id.ts";
import ja from "./src/i18n/ja.ts";
import ko from "./src/i18n/ko.ts";
import zh from "./src/i18n/zh.ts";

/** The server that pages in development call. */
const server = process.env.NIGIRI_SERVER ?? "http://127.0.0.1:7878";
const proxy = { "^/nigiri\\..*": { target: server, changeOrigin: true } };

/** Lays a compressed copy beside each text file, so that the server has nothing to compress. */
function compressed(folder: string): Plugin {
  const pack = (path: string) => {
    const text = readFileSync(path);
    writeFileSync(`${path}.gz`, gzipSync(text, { level: 9 }));
    const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: text.length };
    writeFileSync(`${path}.br`, brotliCompressSync(text, { params }));
  };
  return {
    name: "compressed",
    apply: "build",
    closeBundle() {
      const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
      for (const file of files.filter((name) => /\.(html|js|css|svg|webmanifest)$/.test(name))) {
        pack(join(folder, file));
      }
    },
  };
}

/** The modules that the page begins with, however many others share them: they are one script. */
const first = new Set<string>();

function beginning(): Plugin {
  return {
    name: "beginning",
    apply: "build",
    buildEnd() {
      const add = (id: string) => {
        if (first.has(id)) return;
        first.add(id);
        for (const next of this.getModuleInfo(id)?.importedIds ?? []) add(next);
      };
      for (const id of this.getModuleIds()) if (this.getModuleInfo(id)?.isEntry) add(id);
    },
  };
}

export default defineConfig({
  plugins: [beginning(), firstPage("dist/page", { en, id, hi, zh, ja, ko }), compressed("dist/page")],
  build: {
    outDir: "dist/page",
    target: "es2022",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: { groups: [{ name: (id) => (first.has(id) ? "first" : null), debugName: "first" }] },
      },
    },
  },
  server: { proxy },
  preview: { proxy },
  test: { include: ["test/**/*.test.ts"] },
});
