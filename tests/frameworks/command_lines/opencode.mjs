// opencode, over the interface of OpenAI.
import { headers, model, prompt, run, settings, url } from "./run.mjs";

settings(".config/opencode/opencode.json", {
  autoupdate: false,
  share: "disabled",
  model: "stand-in/gpt-5",
  provider: {
    "stand-in": {
      npm: "@ai-sdk/openai-compatible",
      name: "stand-in",
      options: { baseURL: `${model}/v1`, apiKey: "sk-none" },
      models: { "gpt-5": { name: "gpt-5", tool_call: true } },
    },
  },
  mcp: { sponsorgraph: { type: "remote", url, headers, oauth: false, enabled: true } },
});
run("opencode-linux-x64/bin/opencode", ["run", prompt], {
  OPENCODE_DISABLE_MODELS_FETCH: "true",
  OPENCODE_DISABLE_AUTOUPDATE: "true",
});
