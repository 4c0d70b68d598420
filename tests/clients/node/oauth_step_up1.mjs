// Reads, imports and reads again with the TypeScript SDK 1.x and the plain provider of its own examples.
// The import needs more consent than the first login got.
import { createInterface } from "node:readline";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { InMemoryOAuthClientProvider } from "@modelcontextprotocol/sdk/examples/client/simpleOAuthClientProvider.js";
import { REDIRECT } from "./oauth_provider.mjs";

const [url, channel] = process.argv.slice(2);
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const requested = [];
const authProvider = new InMemoryOAuthClientProvider(REDIRECT, {
  client_name: "TypeScript SDK 1",
  redirect_uris: [REDIRECT],
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  token_endpoint_auth_method: "client_secret_post",
}, (to) => {
  requested.push(to.searchParams.get("scope"));
  console.log("OPEN " + to.href);
});

let transport, client;
const connect = async () => {
  transport = new StreamableHTTPClientTransport(new URL(url), { authProvider });
  client = new Client({ name: "tests", version: "1" });
  await client.connect(transport);
};
// What every program does: where the user is needed, finish the login and do the same again.
const withLogin = async (step) => {
  try {
    return await step();
  } catch (error) {
    if (!(error instanceof UnauthorizedError)) throw error;
    const { value } = await lines.next();
    await transport.finishAuth(new URL(value).searchParams.get("code"));
    return await step();
  }
};
const call = (name, args) => withLogin(() => client.callTool({ name, arguments: args }));

await withLogin(connect);
const search = { search: "nordvpm", limit: 3 };
const first = await call("sponsor.search", search);
const imported = await call("channel.import", { channel });
const again = await call("sponsor.search", search);
console.log(JSON.stringify({
  found: [first, again].map((result) => result.structuredContent.sponsors[0].name),
  imported: imported.structuredContent?.state ?? imported,
  requested, scope: authProvider.tokens().scope,
}));
await client.close();
process.exit(0);
