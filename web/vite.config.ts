import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";
import { firstPage } from "./build/first_page.ts";

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
    writeBundle() {
      const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
      for (const file of files.filter((name) => /\.(html|js|css|svg|webmanifest)$/.test(name))) {
        pack(join(folder, file));
      }
    },
  };
}

export default defineConfig({
  plugins: [firstPage(), compressed("dist/page")],
  build: {
    outDir: "dist/page",
    target: "es2022",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
  server: { proxy },
  preview: { proxy },
  test: { include: ["test/**/*.test.ts"] },
});
