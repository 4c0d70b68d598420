// Runs an agent of the command line in the packages beside its driver, with a home of its own.
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const here = dirname(process.argv[1]);
export const [url, key, model, prompt] = process.argv.slice(2);
export const headers = { Authorization: `Bearer ${key}` };

/** Write a file of settings below the home. */
export function settings(path, content) {
  const file = join(process.env.HOME, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  return file;
}

/** Run `script` of a package with Node, or a program where it is none. */
export function run(program, args, env = {}) {
  const file = join(here, "node_modules", program);
  const isScript = /\.[cm]?js$/.test(program);
  const command = isScript ? process.execPath : file;
  const { status } = spawnSync(command, isScript ? [file, ...args] : args, {
    env: { ...process.env, ...env, PATH: `${dirname(process.execPath)}:${process.env.PATH}` },
    stdio: ["ignore", "inherit", "inherit"],
    timeout: 120_000,
  });
  process.exit(status ?? 1);
}
