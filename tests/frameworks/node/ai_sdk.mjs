// Vercel's AI SDK with @ai-sdk/mcp, over the interface that the mode names.
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createMCPClient } from "@ai-sdk/mcp";
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, stepCountIs } from "ai";

const [url, key, model, prompt, mode] = process.argv.slice(2);
const client = await createMCPClient({
  transport: { type: "http", url, headers: { Authorization: `Bearer ${key}` } },
});
const apiKey = "sk-none";
const providers = {
  anthropic: () => createAnthropic({ baseURL: `${model}/v1`, apiKey })("claude-sonnet-4-5"),
  gemini: () => createGoogleGenerativeAI({ baseURL: `${model}/v1beta`, apiKey })("gemini-2.5-flash"),
  chat: () => createOpenAI({ baseURL: `${model}/v1`, apiKey }).chat("gpt-5"),
  responses: () => createOpenAI({ baseURL: `${model}/v1`, apiKey }).responses("gpt-5"),
};
const result = await generateText({
  model: providers[mode](),
  tools: await client.tools(),
  stopWhen: stepCountIs(3),
  maxRetries: 0,
  prompt,
});
console.log(result.text);
await client.close();
