import { generateKeyPairSync, type KeyObject, randomUUID, sign } from "node:crypto";
import { createServer, type Server as Http, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { Server } from "./server";
import { expect, nameOneself, test } from "./world";

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

/** A guest signs in at the provider, comes back as a member under the same name, and stays one after a reload. */
test("a guest becomes a member", async ({ browser }) => {
  const provider = new Provider();
  await provider.start();
  const server = await Server.start((url) => [
    ...["--session-oidc-client-ids", CLIENT, "--session-oidc-redirects", `${url}/sign-in`],
    ...["--session-oidc-issuer", provider.url, "--session-oidc-jwks-url", `${provider.url}/jwks`],
    ...[
      "--session-oidc-authorization-url",
      `${provider.url}/auth`,
      "--session-oidc-token-url",
      `${provider.url}/token`,
    ],
  ]);
  try {
    const page = await browser.newPage({ locale: "en" });
    await page.goto(`${server.url}/watch`);
    await page.goto(`${server.url}/game/${randomUUID()}`);
    const name = await nameOneself(page, "Member");
    await page.getByRole("button", { name: "Watch", exact: true }).click();
    // Signing in takes a moment: whoever leaves the page before is nobody yet.
    await expect(page.getByText(name).first()).toBeVisible();
    await page.goto(server.url);
    await expect(page.locator(".playing-as")).toContainText(`${name}guest`);
    await page.getByRole("button", { name: "Sign in with Google" }).click();
    const member = page.locator(".playing-as:not(:has(.tag))");
    await expect(member).toContainText(name);
    await page.reload();
    await expect(member).toContainText(name);
    await expect(page.getByRole("button", { name: "Sign in with Google" })).toHaveCount(0);
    await page.close();
  } finally {
    await server.end();
    provider.end();
  }
});
