// Connects with the TypeScript client 2.x from nothing but the URL; calls a tool before and after a refresh.
// Given an algorithm, it has its tokens bound to a key (DPoP).
import {
  Client, DpopSession, StreamableHTTPClientTransport, UnauthorizedError,
} from "@modelcontextprotocol/client";
import { Provider, callback } from "./oauth_provider.mjs";

const [url, name, args, alg] = process.argv.slice(2);
const authProvider = new Provider();
const dpop = alg && await DpopSession.create({ alg });
if (dpop) authProvider.dpop = () => dpop;
const open = () => new StreamableHTTPClientTransport(new URL(url), { authProvider });
const first = open();
try {
  await new Client({ name: "tests", version: "1" }).connect(first);
  throw new Error("connected without a login");
} catch (error) {
  if (!(error instanceof UnauthorizedError)) throw error;
}
await first.finishAuth(await callback());

const client = new Client({ name: "tests", version: "1" });
await client.connect(open());
const { tools } = await client.listTools();
const before = authProvider.saved.refresh_token;
authProvider.saved = { ...authProvider.saved, access_token: "expired" };
const result = await client.callTool({ name, arguments: JSON.parse(args) });
const refreshed = authProvider.saved.refresh_token !== before;
const type = authProvider.saved.token_type;
console.log(JSON.stringify({ tools: tools.map((tool) => tool.name), result, refreshed, type }));
await client.close();
