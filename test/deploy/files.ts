import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Terminal } from '../../packages/cli/core/terminal/terminal.ts';
import { createProgram } from '../../packages/cli/create-program.ts';
import { type LoadedConfig, parseConfigText } from '../../packages/toolwharf/config/load-config.ts';
import { root } from '../support/imports.ts';

/** Reads a file below `deploy`. */
export function readDeployed(file: string): string {
  return readFileSync(join(root, 'deploy', file), 'utf8');
}

/** Loads a configuration with the environment that a deployment sets; throws if either is invalid. */
export function loadWith(env: Readonly<Record<string, string>>, text = 'servers: {}\n'): LoadedConfig['config'] {
  return parseConfigText(text, 'toolwharf.yaml', { env }).config;
}

const program = createProgram({ width: 100 } as Terminal, async () => {});

/** Fails unless the words are a command of `toolwharf` with options that it has. */
export function expectCommand([name, ...words]: readonly string[]): void {
  const command = program.commands.find((candidate) => candidate.name() === name);
  const options = [...(command?.options ?? []), ...program.options].flatMap(({ long, short }) => [long, short]);
  expect(command, `toolwharf ${name}`).toBeDefined();
  for (const word of words.filter((each) => each.startsWith('-'))) expect(options).toContain(word);
}
