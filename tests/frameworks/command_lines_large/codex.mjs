// OpenAI's Codex.
import { key, model, prompt, run, settings, url } from "../command_lines/run.mjs";

settings(
  ".codex/config.toml",
  `model = "gpt-5"
model_provider = "stand-in"
approval_policy = "never"
[model_providers.stand-in]
name = "stand-in"
base_url = "${model}/v1"
wire_api = "responses"
env_key = "STAND_IN_KEY"
[mcp_servers.sponsorgraph]
url = "${url}"
bearer_token_env_var = "SPONSORGRAPH_KEY"
default_tools_approval_mode = "approve"
`,
);
run("@openai/codex/bin/codex.js", ["exec", "--skip-git-repo-check", prompt], {
  STAND_IN_KEY: "sk-none",
  SPONSORGRAPH_KEY: key,
});
