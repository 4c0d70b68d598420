// The TypeScript SDK's low-level Server on node:http, stateless, JSON responses, with `pg`.
import { createHash, timingSafeEqual } from "node:crypto";
import { readFileSync } from "node:fs";
import http from "node:http";

import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import pg from "pg";

const LIMIT = 10;
const [port, database, token, toolsFile] = process.argv.slice(2);
const tools = JSON.parse(readFileSync(toolsFile, "utf8"));
const text = readFileSync(new URL("../search.sql", import.meta.url), "utf8");

pg.types.setTypeParser(pg.types.builtins.INT8, Number);
const pool = new pg.Pool({
  connectionString: database,
  min: 8,
  max: 8,
  idleTimeoutMillis: 0,
  options: "-c jit=off -c random_page_cost=1.1 -c plan_cache_mode=force_generic_plan",
});

const digest = (value) => createHash("sha256").update(value).digest();
const expected = digest(`Bearer ${token}`);

async function search(words) {
  const { rows } = await pool.query({ name: "search", text, values: [words, LIMIT + 1] });
  const next_cursor = rows.length > LIMIT ? Buffer.from("[10]").toString("base64url") : null;
  return { sponsors: rows.slice(0, LIMIT), next_cursor };
}

function makeServer() {
  const server = new Server({ name: "peer", version: "1" }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    const result = await search(params.arguments.search);
    return {
      content: [{ type: "text", text: JSON.stringify(result) }],
      structuredContent: result,
    };
  });
  return server;
}

http
  .createServer(async (request, response) => {
    if (!timingSafeEqual(digest(request.headers.authorization ?? ""), expected)) {
      response.writeHead(401).end();
      return;
    }
    // Stateless as the SDK wants it: a transport and a server for each request.
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: undefined,
      enableJsonResponse: true,
    });
    await makeServer().connect(transport);
    await transport.handleRequest(request, response);
  })
  .listen(Number(port), "127.0.0.1");
