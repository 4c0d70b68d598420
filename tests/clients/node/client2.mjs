// The TypeScript client 2.x takes the steps of the matrix: MODE URL KEY STEP…
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { perform } from "./steps.mjs";

const [asked, url, key, ...steps] = process.argv.slice(2);
const mode = asked === "modern" ? { pin: "2026-07-28" } : asked;
const transport = new StreamableHTTPClientTransport(new URL(url), {
  requestInit: { headers: { Authorization: `Bearer ${key}` } },
});
const client = new Client({ name: "tests", version: "1" }, { versionNegotiation: { mode } });
await client.connect(transport);
const call = (name, args, options) => client.callTool({ name, arguments: args }, options);
await perform(client, call, steps);
await client.close();
