// An OAuth client's memory, and a browser that is somebody at the other end of stdin: the
// authorization URL goes out on stdout as "OPEN url", the callback URL comes back as a line.
import { createInterface } from "node:readline";

export const REDIRECT = "http://127.0.0.1:39999/callback";

export class Provider {
  redirectUrl = REDIRECT;
  clientMetadata = {
    client_name: "Test " + Math.random().toString(36).slice(2),
    redirect_uris: [REDIRECT],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  };
  state() { return (this.sent ??= Math.random().toString(36).slice(2)); }
  clientInformation() { return this.client; }
  saveClientInformation(client) { this.client = client; }
  tokens() { return this.saved; }
  saveTokens(tokens) { this.saved = tokens; }
  saveCodeVerifier(verifier) { this.verifier = verifier; }
  codeVerifier() { return this.verifier; }
  saveDiscoveryState(state) { this.discovered = state; }
  discoveryState() { return this.discovered; }
  redirectToAuthorization(url) { console.log("OPEN " + url.href); }
}

export async function callback() {
  const lines = createInterface({ input: process.stdin });
  for await (const line of lines) {
    lines.close();
    return new URL(line).searchParams;
  }
}
