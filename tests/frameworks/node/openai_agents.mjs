// OpenAI's Agents SDK for JavaScript.
import { Agent, MCPServerStreamableHttp, OpenAIProvider, Runner } from "@openai/agents";

const [url, key, model, prompt, mode] = process.argv.slice(2);
const server = new MCPServerStreamableHttp({
  url,
  name: "sponsorgraph",
  requestInit: { headers: { Authorization: `Bearer ${key}` } },
});
await server.connect();
const agent = new Agent({
  name: "analyst",
  model: "gpt-5",
  mcpServers: [server],
  mcpConfig: { convertSchemasToStrict: mode === "strict" },
});
const modelProvider = new OpenAIProvider({ apiKey: "sk-none", baseURL: `${model}/v1`, useResponses: mode !== "chat" });
const result = await new Runner({ modelProvider, tracingDisabled: true }).run(agent, prompt);
console.log(result.finalOutput);
await server.close();
process.exit(0);
