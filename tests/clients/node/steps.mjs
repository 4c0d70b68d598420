// The steps of the matrix for a connected TypeScript client, as tests/clients/steps.py has them.
// `call` hides how the versions differ: (name, args, options) to a result.
import { readFileSync } from "node:fs";

const questions = JSON.parse(readFileSync(new URL("../requests.json", import.meta.url), "utf8"));

export async function perform(client, call, steps) {
  const text = async (question, options) => (await call(...question, options)).content[0].text;
  const taken = {
    tools: async () => (await client.listTools()).tools.map((tool) => tool.name),
    read: async () => (await client.readResource({ uri: questions.read })).contents[0].text,
    prompt: async () => {
      const [name, args] = questions.prompt;
      return (await client.getPrompt({ name, arguments: args })).messages[0].content.text;
    },
    complete: async () => {
      const [prompt, name, value] = questions.complete;
      const ref = { type: "ref/prompt", name: prompt };
      return (await client.complete({ ref, argument: { name, value } })).completion.values;
    },
    progress: async () => {
      const heard = [];
      await call(...questions.progress, { onprogress: (told) => heard.push(told.progress) });
      return heard;
    },
    cancel: async () => {
      const leaving = new AbortController();
      const options = { signal: leaving.signal, onprogress: () => leaving.abort("enough") };
      try {
        await call(...questions.cancel, options);
      } catch (error) {
        if (leaving.signal.aborted) return "cancelled";
        throw error;
      }
      return "not cancelled";
    },
  };
  for (const step of steps) {
    const take = taken[step] ?? (() => text(questions[step]));
    const seen = await take().catch((error) => error.message);
    console.log(JSON.stringify({ step, seen }));
  }
}
