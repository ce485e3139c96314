/** The real binary, on a free port and a folder of its own, to be killed and started again. */

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

export class Server {
  readonly url: string;
  #process: ChildProcess | null = null;
  #said = "";
  /** Further arguments, from the next start on. */
  readonly more: string[];

  private constructor(
    private readonly port: number,
    /** The folder of its file. */
    readonly data: string,
    more: (url: string) => string[],
  ) {
    this.url = `http://127.0.0.1:${port}`;
    this.more = more(this.url);
  }

  /** Starts one; `more` gives further arguments, by its address. */
  static async start(more: (url: string) => string[] = () => []): Promise<Server> {
    const server = new Server(await freePort(), mkdtempSync(join(tmpdir(), "nigiri-e2e-")), more);
    await server.up();
    return server;
  }

  /** Starts the process, and waits until it serves. */
  async up(): Promise<void> {
    const binary = process.env.NIGIRI_BINARY;
    if (!binary) throw new Error("NIGIRI_BINARY has to name the binary: use `make web-e2e`");
    const args = ["dev", "--listen", `127.0.0.1:${this.port}`, "--data", this.data, ...this.more];
    const child = spawn(binary, args, { stdio: ["ignore", "pipe", "pipe"] });
    this.#process = child;
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (bytes: Buffer) => {
        this.#said += bytes.toString();
      });
    }
    for (let attempt = 0; attempt < 600; attempt++) {
      if (child.exitCode !== null) throw new Error(`the server has ended: ${this.#said}`);
      const ready = await fetch(`${this.url}/health/ready`).catch(() => null);
      if (ready?.ok) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`the server does not answer: ${this.#said}`);
  }

  /** Waits until the process has ended by itself, and gives its exit code. */
  async ended(): Promise<number | null> {
    const child = this.#process;
    if (!child) throw new Error("no process runs");
    if (child.exitCode === null) await new Promise((resolve) => child.once("exit", resolve));
    this.#process = null;
    return child.exitCode;
  }

  /** Kills the process as a power cut would, or asks it to end. */
  async down(signal: "SIGKILL" | "SIGTERM" = "SIGKILL"): Promise<void> {
    const child = this.#process;
    this.#process = null;
    if (!child || child.exitCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill(signal);
    await ended;
  }

  /** Starts the process anew with these further arguments. */
  async restart(...more: string[]): Promise<void> {
    this.more.push(...more);
    await this.down("SIGTERM");
    await this.up();
  }

  async end(): Promise<void> {
    await this.down();
    rmSync(this.data, { recursive: true, force: true });
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const listener = createServer();
    listener.once("error", reject);
    listener.listen(0, "127.0.0.1", () => {
      const address = listener.address();
      listener.close(() =>
        address && typeof address === "object" ? resolve(address.port) : reject(new Error("no port")),
      );
    });
  });
}
