// GitHub's Copilot, with a model of one's own.
import { headers, model, prompt, run, settings, url } from "./run.mjs";

const server = { type: "http", url, headers, tools: ["*"] };
settings(".copilot/mcp-config.json", { mcpServers: { sponsorgraph: server } });
run("@github/copilot-linux-x64/copilot", ["-p", prompt, "--allow-all-tools", "--disable-builtin-mcps"], {
  COPILOT_PROVIDER_BASE_URL: `${model}/v1`,
  COPILOT_PROVIDER_API_KEY: "sk-none",
  COPILOT_MODEL: "gpt-5",
});
