// Qwen Code, over the interface of OpenAI.
import { headers, model, prompt, run, settings, url } from "./run.mjs";

settings(".qwen/settings.json", {
  mcpServers: { sponsorgraph: { httpUrl: url, headers, trust: true } },
  security: { auth: { selectedType: "openai" } },
  privacy: { usageStatisticsEnabled: false },
  general: { disableAutoUpdate: true },
  tools: { toolSearch: { enabled: false } },
});
run("@qwen-code/qwen-code/cli.js", ["--yolo", "-m", "gpt-5", "-p", prompt], {
  OPENAI_API_KEY: "sk-none",
  OPENAI_BASE_URL: `${model}/v1`,
  OPENAI_MODEL: "gpt-5",
});
