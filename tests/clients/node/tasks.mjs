// Calls a tool with ext-tasks on the TypeScript client 2.x; follows its task, leaves it, resumes it or
// cancels it.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createTaskSessionFromClient } from "@modelcontextprotocol/ext-tasks/client";

const [url, key, action, name, args] = process.argv.slice(2);
const clientInfo = { name: "tests", version: "1" };
const authorization = { Authorization: `Bearer ${key}` };
const client = new Client(clientInfo, { versionNegotiation: { mode: "auto" } });
await client.connect(
  new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: authorization } }),
);

let lastId = 0;
// The client refuses results with a `resultType` that it does not know, so these requests go past it.
async function rawDispatch({ method, params }, { signal } = {}) {
  const reply = await fetch(url, {
    method: "POST",
    signal,
    headers: {
      ...authorization,
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      "MCP-Protocol-Version": client.getNegotiatedProtocolVersion(),
      "Mcp-Method": method,
      "Mcp-Name": params.taskId ?? params.name,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: ++lastId, method, params }),
  });
  const { result, error } = await reply.json();
  return error ? { kind: "error", error } : { kind: "result", result };
}

const session = createTaskSessionFromClient(client, {
  endpointId: "the gateway",
  rawDispatch,
  v2RequestFraming: {
    protocolVersion: client.getNegotiatedProtocolVersion(),
    clientInfo,
    clientCapabilities: { elicitation: {} },
  },
  onInputRequest: () => ({ action: "accept", content: { confirm: true } }),
});
const input = JSON.parse(args);
const execution =
  action === "resume" ? await session.resumeTask(input) : await session.callTool(name, input);
if (action === "leave") {
  // As a program that ends before its task: closing the session would cancel the task.
  console.log(JSON.stringify(execution.serializeReference()));
  process.exit();
}
if (action === "cancel") await execution.cancel();
const statuses = [];
const { outcome } = await execution.settle({
  onEvent: (event) => event.type === "task" && statuses.push(event.task.status),
});
console.log(JSON.stringify({ kind: execution.kind, statuses, outcome }));
await session.close();
await client.close();
