// Claude Code.
import { headers, model, prompt, run, settings, url } from "../command_lines/run.mjs";

const servers = settings("mcp.json", { mcpServers: { sponsorgraph: { type: "http", url, headers } } });
const flags = ["--mcp-config", servers, "--strict-mcp-config", "--allowedTools", "mcp__sponsorgraph"];
run("@anthropic-ai/claude-code-linux-x64/claude", ["-p", prompt, "--model", "claude-sonnet-4-6", ...flags], {
  ANTHROPIC_API_KEY: "sk-none",
  ANTHROPIC_BASE_URL: model,
  ENABLE_TOOL_SEARCH: "false",
  MCP_CONNECTION_NONBLOCKING: "false",
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
});
