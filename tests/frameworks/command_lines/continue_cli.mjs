// Continue's command line.
import { key, model, prompt, run, settings, url } from "./run.mjs";

const config = settings(
  "config.yaml",
  `name: test
version: 0.0.1
schema: v1
models:
  - name: stand-in
    provider: openai
    model: gpt-4o
    apiBase: ${model}/v1
    apiKey: sk-none
    roles: [chat]
    capabilities: [tool_use]
mcpServers:
  - name: sponsorgraph
    type: streamable-http
    url: ${url}
    requestOptions:
      headers:
        Authorization: Bearer ${key}
`,
);
run("@continuedev/cli/dist/cn.js", ["--config", config, "--auto", "-p", prompt], {
  CONTINUE_TELEMETRY_ENABLED: "0",
});
