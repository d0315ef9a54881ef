import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { candidatesFor } from './core/commands/completion.ts';
import { addSettingOptions } from './core/program/command-actions.ts';
import type { Terminal } from './core/terminal/terminal.ts';
import { createProgram } from './create-program.ts';

const reference = readFileSync(new URL('../../docs/reference/cli.md', import.meta.url), 'utf8');
/** The section on the options that every command has. */
const commonOptions = /^## Options of every command\n[\s\S]*?(?=^## )/m.exec(reference)?.[0];
/** Commands that people do not type. */
const internal = new Set(['help', 'complete']);
const program = createProgram({ width: 100 } as Terminal, async () => {});
const commands = everyCommand(program);
for (const { command } of commands) await addSettingOptions(command);

describe('docs/reference/cli.md', () => {
  test('the reference has a section for every command', () => {
    const sections = [...reference.matchAll(/^## toolwharf (.+)$/gm)].map(([, name]) => name);
    const top = program.commands.map((command) => command.name()).filter((name) => !internal.has(name));
    const missing = top.filter((name) => !sections.some((section) => section?.split(' ')[0] === name));
    expect(missing).toEqual([]);
    expect(sections.filter((section) => !top.includes(section?.split(' ')[0] ?? ''))).toEqual([]);
  });

  test.each(commands.map(({ path, command }) => ({ path, command })))(
    'docs/reference/cli.md documents $path with every option',
    ({ path, command }) => {
      const [top = ''] = path.split(' ');
      const start = reference.indexOf(`## toolwharf ${top}`);
      // A command and its subcommands may have separate sections, one after the other.
      const end = [...reference.matchAll(/^## toolwharf (\S+)/gm)].find(
        (section) => section.index > start && section[1] !== top,
      )?.index;
      const text = reference.slice(start, end);
      const [, verb] = path.split(' ');
      if (verb !== undefined) expect(text).toMatch(new RegExp(`\\b${verb}\\b`));
      const options = command.options.filter(({ hidden }) => !hidden).flatMap((option) => option.long ?? []);
      const documented = `${text}${commonOptions}`;
      expect(options.filter((option) => !documented.includes(option))).toEqual([]);
    },
  );
});

test('every command and option has a description', () => {
  const bare = commands.filter(({ command }) => command.description() === '').map(({ path }) => path);
  const options = commands.flatMap(({ path, command }) =>
    command.options.filter((option) => option.description === '').map((option) => `${path} ${option.flags}`),
  );
  expect([...bare, ...options]).toEqual([]);
});

test('the help of a command shows its own options and those of all commands, each once', () => {
  const help = commands.find(({ path }) => path === 'calls cancel')?.command.helpInformation() ?? '';
  const flags = [...help.matchAll(/^ +(?:-\w, )?(--[\w-]+)/gm)].map(([, flag]) => flag);
  expect(flags).toEqual([...['--json', '--url', '--help'], ...['--version', '--config', '--data-dir', '--log-level']]);
  expect(commands.find(({ path }) => path === 'registry show')?.command.helpInformation()).toContain(
    '--registry <url>',
  );
});

test('the help offers --local only for commands that work without a gateway', () => {
  const shown = (path: string) =>
    commands
      .find((one) => one.path === path)
      ?.command.helpInformation()
      .includes('--local');
  for (const path of ['tools', 'call', 'servers', 'doctor', 'rules', 'skills', 'registry search'])
    expect({ path, shown: shown(path) }).toEqual({ path, shown: true });
  for (const path of ['accounts', 'accounts connect', 'users', 'calls', 'servers restart', 'skills accept'])
    expect({ path, shown: shown(path) }).toEqual({ path, shown: false });
});

test('the help of every command fits a terminal of 80 columns', () => {
  const narrow = createProgram({ width: 80 } as Terminal, async () => {});
  for (const { path, command } of [{ path: 'toolwharf', command: narrow }, ...everyCommand(narrow)]) {
    const long = command
      .helpInformation()
      .split('\n')
      .filter((line) => line.length > 80);
    expect({ path, long }).toEqual({ path, long: [] });
  }
});

// They run until they are stopped, or print code or a script.
const withoutJson = ['serve', 'stdio', 'emit-ts', 'completion'];

test('every command that prints data has --json', () => {
  const hasJson = (command: Command): boolean => command.options.some(({ long }) => long === '--json');
  const without = commands.filter(({ command }) => !hasJson(command) && !isGroup(command)).map(({ path }) => path);
  expect(without).toEqual(withoutJson);
});

/** Whether a command only has subcommands. */
function isGroup(command: Command): boolean {
  return command.commands.length > 0 && !Reflect.get(command, '_actionHandler');
}

test('every command, its subcommands and its options are completed', async () => {
  const complete = (...words: string[]) => candidatesFor(program, words, async () => ({ tools: [], servers: [] }));
  for (const { path, command } of commands) {
    const words = path.split(' ');
    expect(await complete(...words.slice(0, -1), '')).toContain(words.at(-1));
    const options = command.options.filter(({ hidden }) => !hidden).flatMap(({ long }) => long ?? []);
    expect(await complete(...words, '-')).toEqual(expect.arrayContaining(options));
  }
});

function everyCommand(parent: Command, path = ''): { readonly path: string; readonly command: Command }[] {
  return parent.commands
    .filter((command) => !internal.has(command.name()))
    .flatMap((command) => {
      const own = `${path}${command.name()}`;
      return [{ path: own, command }, ...everyCommand(command, `${own} `)];
    });
}

test('a command line that begins with serve is parsed by a program with that command alone, which has the same options and help', () => {
  const serve = (root: Command) => root.commands.find((command) => command.name() === 'serve');
  const alone = createProgram({ width: 100 } as Terminal, async () => {}, undefined, ['serve', '--port', '0']);
  expect(alone.commands.map((command) => command.name())).toEqual(['serve']);
  expect(serve(alone)?.helpInformation()).toBe(serve(program)?.helpInformation());
  expect(alone.options.map(({ flags }) => flags)).toEqual(program.options.map(({ flags }) => flags));
});
