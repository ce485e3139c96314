import { generateKeyPairSync, type KeyObject, randomUUID, sign } from "node:crypto";
import { createServer, type Server as Http, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "@playwright/test";
import { Server } from "./server";
import { cell, expect, meet, nameOneself, play, test } from "./world";

const CLIENT = "nigiri-tests";

/** A provider that vouches for one person at once. */
class Provider {
  readonly #keys = generateKeyPairSync("rsa", { modulusLength: 2048 });
  readonly #nonces = new Map<string, string>();
  #http: Http | null = null;
  url = "";

  async start(): Promise<void> {
    this.#http = createServer(async (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? "/", this.url);
      if (pathname === "/auth") {
        const code = randomUUID();
        this.#nonces.set(code, searchParams.get("nonce") ?? "");
        const back = new URL(searchParams.get("redirect_uri") ?? "");
        back.searchParams.set("code", code);
        back.searchParams.set("state", searchParams.get("state") ?? "");
        response.writeHead(302, { location: back.href }).end();
        return;
      }
      const body =
        pathname === "/token" ? this.#token(new URLSearchParams(await text(request))) : this.#jwks();
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
    });
    await new Promise<void>((resolve) => this.#http?.listen(0, "127.0.0.1", resolve));
    this.url = `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`;
  }

  end(): void {
    this.#http?.close();
    this.#http?.closeAllConnections();
  }

  #jwks() {
    return {
      keys: [{ ...this.#keys.publicKey.export({ format: "jwk" }), kid: "one", alg: "RS256", use: "sig" }],
    };
  }

  #token(form: URLSearchParams) {
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      iss: this.url,
      aud: CLIENT,
      sub: "person-1",
      iat: now,
      exp: now + 600,
      nonce: this.#nonces.get(form.get("code") ?? ""),
    };
    return { access_token: "unused", token_type: "Bearer", id_token: jwt(claims, this.#keys.privateKey) };
  }
}

function jwt(claims: object, key: KeyObject): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const signed = `${part({ alg: "RS256", typ: "JWT", kid: "one" })}.${part(claims)}`;
  return `${signed}.${sign("sha256", Buffer.from(signed), key).toString("base64url")}`;
}

async function text(request: IncomingMessage): Promise<string> {
  let all = "";
  for await (const piece of request) all += piece;
  return all;
}

/** Runs something against a server with a provider. */
async function withProvider(run: (server: Server) => Promise<void>): Promise<void> {
  const provider = new Provider();
  await provider.start();
  const server = await Server.start((url) => [
    ...["--session-oidc-client-ids", CLIENT, "--session-oidc-redirects", `${url}/sign-in`],
    ...["--session-oidc-issuer", provider.url, "--session-oidc-jwks-url", `${provider.url}/jwks`],
    ...["--session-oidc-authorization-url", `${provider.url}/auth`],
    ...["--session-oidc-token-url", `${provider.url}/token`],
  ]);
  try {
    await run(server);
  } finally {
    await server.end();
    provider.end();
  }
}

/** Becomes a guest, signs in at the provider, and is a member then. The guest's name. */
async function becomeMember(page: Page, url: string): Promise<string> {
  await page.goto(`${url}/game/${randomUUID()}`);
  const name = await nameOneself(page, "Member");
  await page.getByRole("button", { name: "Watch", exact: true }).click();
  // Signing in takes a moment: whoever leaves the page before is nobody yet.
  await expect(page.getByText(name).first()).toBeVisible();
  await page.goto(url);
  await expect(page.locator(".playing-as")).toContainText(`${name}guest`);
  await signIn(page);
  return name;
}

async function signIn(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Sign in with Google" }).click();
  await expect(page.locator(".playing-as:not(:has(.tag))")).toBeVisible();
}

/** A guest signs in at the provider, comes back as a member under the same name, and stays one after a reload. */
test("a guest becomes a member", async ({ browser }) => {
  await withProvider(async ({ url }) => {
    const page = await browser.newPage({ locale: "en" });
    await page.goto(`${url}/watch`);
    const name = await becomeMember(page, url);
    const member = page.locator(".playing-as:not(:has(.tag))");
    await expect(member).toContainText(name);
    await page.reload();
    await expect(member).toContainText(name);
    await expect(page.getByRole("button", { name: "Sign in with Google" })).toHaveCount(0);
    await page.close();
  });
});

/**
 * A guest who is in the middle of a game signs in to an account that was there before, in another tab. Both tabs go on in the guest's seat without a reload; the
 * opponent sees the account's name, and that its player is there.
 */
test("a guest's game goes on in the account that they sign in to", async ({ browser }) => {
  await withProvider(async ({ url }) => {
    const elsewhere = await browser.newPage({ locale: "en" });
    const name = await becomeMember(elsewhere, url);
    await elsewhere.close();

    const [one, two] = [await browser.newPage({ locale: "en" }), await browser.newPage({ locale: "en" })];
    for (const page of [one, two]) await page.goto(url);
    const [black, white] = await meet(one, two, "Guest");
    await play(black, "E5");
    await play(white, "C3");
    let loads = 0;
    black.on("load", () => loads++);
    const tab = await black.context().newPage();
    await tab.goto(url);
    await signIn(tab);
    await tab.getByRole("link", { name: "Go on" }).click();

    await play(black, "G7");
    await expect(cell(white, "G7")).toHaveAttribute("aria-label", /black stone, last move/);
    await expect(white.getByRole("region", { name: new RegExp(name) })).toBeVisible();
    await play(white, "C5");
    await play(tab, "G3");
    await expect(cell(white, "G3")).toHaveAttribute("aria-label", /black stone, last move/);
    // A seat that nobody is in is marked after five seconds.
    await white.waitForTimeout(7_000);
    await expect(white.locator(".away")).toHaveCount(0);
    await expect(black.getByRole("button", { name: "Resign" })).toBeVisible();
    expect(loads).toBe(0);
    for (const page of [white, tab, black]) await page.context().close();
  });
});
