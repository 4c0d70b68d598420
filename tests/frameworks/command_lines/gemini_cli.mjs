// Google's Gemini CLI.
import { headers, model, prompt, run, settings, url } from "./run.mjs";

settings(".gemini/settings.json", {
  mcpServers: { sponsorgraph: { httpUrl: url, headers, trust: true } },
  security: { auth: { selectedType: "gemini-api-key" } },
  privacy: { usageStatisticsEnabled: false },
  general: { disableAutoUpdate: true },
});
run("@google/gemini-cli/bundle/gemini.js", ["--skip-trust", "--yolo", "-m", "gemini-2.5-flash", "-p", prompt], {
  GEMINI_API_KEY: "none",
  GOOGLE_GEMINI_BASE_URL: model,
});
