import type { PlainObject } from '../plain-data.ts';

/** Splits a command line into words like a shell, without expansion. Returns undefined for an unclosed quote. */
export function splitCommandLine(line: string): string[] | undefined {
  const words: string[] = [];
  const part = /\s+|"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)|([^\s"'\\]+)|(.)/gsy;
  let word: string | undefined;
  for (const [, double, single, escaped, plain, stray] of line.matchAll(part)) {
    if (stray !== undefined) return undefined;
    const piece = double?.replace(/\\(["\\$`])/g, '$1') ?? single ?? escaped ?? plain;
    if (piece !== undefined) word = (word ?? '') + piece;
    else if (word !== undefined) {
      words.push(word);
      word = undefined;
    }
  }
  return word === undefined ? words : [...words, word];
}

/** A command line as a program and its arguments. A line that needs a shell is run by one. */
export function toProgram(line: string): PlainObject {
  const needsShell = /[|&;<>()$`*?~]|^\s*\w+=/.test(line.replace(/'[^']*'/g, ''));
  const [command, ...args] = (needsShell ? undefined : splitCommandLine(line)) ?? [];
  if (command === undefined) return { command: 'sh', args: ['-c', line] };
  return args.length > 0 ? { command, args } : { command };
}

/** A name for the server of a command line: `npx -y @scope/server-git@1.0` is `git`, `https://api.example.com` is `api`. */
export function nameOfProgram(words: readonly string[]): string {
  const [program = '', ...args] = words;
  const isRunner = /^(?:npx|bunx|uvx|pnpm|yarn|npm|uv|pipx|docker|python3?|node|deno|bun|sh)$/.test(program);
  const target = isRunner ? (args.find((arg) => !arg.startsWith('-') && !runnerWords.has(arg)) ?? program) : program;
  if (/^https?:/.test(target))
    return URL.canParse(target) ? (new URL(target).hostname.split('.')[0] ?? 'server') : 'server';
  const base =
    target
      .replace(/(?<=.)@[^/]*$/, '')
      .split(/[/\\]/)
      .at(-1) ?? '';
  const name = base.replace(/\.\w+$/, '').replace(/^(?:mcp-server-|server-|mcp-)/, '');
  return /^[\w.-]+$/.test(name) ? name : 'server';
}

const runnerWords = new Set(['exec', 'dlx', 'tool', 'run', 'x']);
