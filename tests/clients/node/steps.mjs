// The steps of the matrix for a connected TypeScript client, as tests/clients/steps.py has them.
// `call` hides how the versions differ: (name, args, options) to a result.
import { readFileSync } from "node:fs";

const requests = JSON.parse(readFileSync(new URL("../requests.json", import.meta.url), "utf8"));

export async function perform(client, call, steps) {
  const text = async (request, options) => (await call(...request, options)).content[0].text;
  const taken = {
    tools: async () => (await client.listTools()).tools.map((tool) => tool.name),
    read: async () => (await client.readResource({ uri: requests.read })).contents[0].text,
    prompt: async () => {
      const [name, args] = requests.prompt;
      return (await client.getPrompt({ name, arguments: args })).messages[0].content.text;
    },
    complete: async () => {
      const [prompt, name, value] = requests.complete;
      const ref = { type: "ref/prompt", name: prompt };
      return (await client.complete({ ref, argument: { name, value } })).completion.values;
    },
    progress: async () => {
      const received = [];
      await call(...requests.progress, { onprogress: (update) => received.push(update.progress) });
      return received;
    },
    cancel: async () => {
      const controller = new AbortController();
      const options = { signal: controller.signal, onprogress: () => controller.abort("enough") };
      try {
        await call(...requests.cancel, options);
      } catch (error) {
        if (controller.signal.aborted) return "cancelled";
        throw error;
      }
      return "not cancelled";
    },
  };
  for (const step of steps) {
    const take = taken[step] ?? (() => text(requests[step]));
    const seen = await take().catch((error) => error.message);
    console.log(JSON.stringify({ step, seen }));
  }
}
