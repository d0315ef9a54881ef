import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { createProgram } from '../../create-program.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { candidatesFor } from './completion.ts';

const root = createProgram({ width: 80 } as Terminal, async () => {});
const names = { tools: ['mcp_files_echo'], servers: ['files'] };
let reads = 0;
const complete = (...words: string[]) =>
  candidatesFor(root, words, async () => {
    reads++;
    return names;
  });

test('commands, subcommands and options are completed from the program itself', async () => {
  expect(await complete('')).toEqual(expect.arrayContaining(['serve', 'tools', 'servers', 'completion']));
  expect(await complete('')).not.toContain('complete');
  expect(await complete('servers', '')).toEqual(expect.arrayContaining(['add', 'restart']));
  expect(await complete('tools', '--')).toEqual(expect.arrayContaining(['--server', '--json', '--url', '--config']));
  expect(await complete('serve', '--log-format', '')).toEqual(['text', 'json']);
  expect(await complete('connect', '')).toContain('cursor');
  expect(reads).toBe(0);
});

test('every command, subcommand, option and choice that the help shows is completed', async () => {
  const help = root.createHelp();
  const commandsBelow = (command: Command, path: readonly string[] = []): (readonly [Command, readonly string[]])[] => [
    [command, path],
    ...command.commands
      .filter((child) => help.visibleCommands(command).includes(child))
      .flatMap((child) => commandsBelow(child, [...path, child.name()])),
  ];
  const all = commandsBelow(root);
  expect(all.length).toBeGreaterThan(40);
  for (const [command, path] of all) {
    const subcommands = help.visibleCommands(command).map((child) => child.name());
    const at = `toolwharf ${path.join(' ')}`;
    expect(await complete(...path, ''), at).toEqual(expect.arrayContaining(subcommands));
    const options = [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)];
    expect(await complete(...path, '--'), at).toEqual(expect.arrayContaining(options.map(({ long }) => long)));
    for (const { long = '', argChoices } of options.filter((option) => option.argChoices !== undefined))
      expect(await complete(...path, long, ''), `${at} ${long}`).toEqual(argChoices);
  }
});

test('names of servers and tools are read from the gateway where they can follow', async () => {
  expect(await complete('call', 'mcp')).toEqual(['mcp_files_echo']);
  expect(await complete('tools', '--server', '')).toEqual(['files']);
  expect(await complete('servers', 'restart', '')).toEqual(['files']);
  expect(await complete('logs', '')).toEqual(['files']);
});
