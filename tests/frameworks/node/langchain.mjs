// LangChain's agent for JavaScript with @langchain/mcp-adapters.
import { MultiServerMCPClient } from "@langchain/mcp-adapters";
import { ChatOpenAI } from "@langchain/openai";
import { createAgent } from "langchain";

const [url, key, model, prompt] = process.argv.slice(2);
const client = new MultiServerMCPClient({
  mcpServers: { sponsorgraph: { transport: "http", url, headers: { Authorization: `Bearer ${key}` } } },
});
const chat = new ChatOpenAI({
  model: "gpt-5",
  apiKey: "sk-none",
  maxRetries: 0,
  configuration: { baseURL: `${model}/v1` },
});
const agent = createAgent({ model: chat, tools: await client.getTools() });
const result = await agent.invoke({ messages: [{ role: "user", content: prompt }] });
console.log(result.messages.at(-1).text);
await client.close();
