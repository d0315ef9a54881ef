import { readFileSync } from 'node:fs';
import type { Environment } from '../config/references.ts';

/** The command that starts Toolwharf again: `toolwharf` itself may not be on PATH. */
export function programName(env: Environment, file = import.meta.filename): string {
  if (env.npm_command === 'exec') return npxCommand(npxPackages(file));
  if (env.npm_lifecycle_event === undefined) return 'toolwharf';
  return env.npm_package_name === 'toolwharf' ? 'npm run --silent toolwharf --' : 'npx toolwharf';
}

/** Replaces `toolwharf` in the commands that a text quotes with backticks by the command that works here. */
export function nameCommands(text: string, env: Environment): string {
  return text.includes('`toolwharf ') ? text.replaceAll('`toolwharf ', () => `\`${programName(env)} `) : text;
}

function npxCommand(packages: readonly string[]): string {
  const words = packages.map((name) => (/^[\w@%+=:,./-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`));
  if (words.length <= 1) return `npx ${words[0] ?? 'toolwharf-gateway'}`;
  return `npx ${words.map((word) => `--package ${word}`).join(' ')} toolwharf`;
}

/** The packages that npx was given, such as a tarball. npx records them in the directory where it installs them. */
function npxPackages(file: string): readonly string[] {
  const directory = /^.*[/\\]_npx[/\\][^/\\]+/.exec(file)?.[0];
  try {
    return JSON.parse(readFileSync(`${directory}/package.json`, 'utf8'))._npx.packages;
  } catch {
    return [];
  }
}
