// Mastra's agent with @mastra/mcp.
import { createOpenAI } from "@ai-sdk/openai";
import { Agent } from "@mastra/core/agent";
import { MCPClient } from "@mastra/mcp";

const [url, key, model, prompt] = process.argv.slice(2);
const client = new MCPClient({
  servers: { sponsorgraph: { url: new URL(url), requestInit: { headers: { Authorization: `Bearer ${key}` } } } },
});
const agent = new Agent({
  id: "analyst",
  name: "analyst",
  instructions: "Answer by the tools.",
  model: createOpenAI({ baseURL: `${model}/v1`, apiKey: "sk-none" }).chat("gpt-5"),
  tools: await client.listTools(),
});
console.log((await agent.generate(prompt)).text);
await client.disconnect();
