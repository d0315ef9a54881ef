import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { tempDir } from './support/fixtures.ts';
import { startGatewayHere } from './support/gateway.ts';
import { readPages } from './support/markdown.ts';
import { cliIn } from './support/run-cli.ts';
import { npx } from './support/workspace.ts';

/*
 * Runs the programs of docs/guide/python.md against a gateway. Their packages come from Python's own registry, so they run only if
 * TOOLWHARF_PYTHON names interpreters that have them, separated by commas:
 *   python3 -m venv /tmp/one && /tmp/one/bin/pip install mcp fastmcp agno a2a-sdk httpx
 *   python3 -m venv /tmp/two && /tmp/two/bin/pip install langchain-mcp-adapters openai-agents 'mcp<2'
 *   TOOLWHARF_PYTHON=/tmp/one/bin/python,/tmp/two/bin/python vitest run test/python.test.ts
 */
const run = promisify(execFile);
const interpreters = (process.env.TOOLWHARF_PYTHON ?? '').split(',').filter((path) => path !== '');
const page = readPages().find(({ file }) => file === 'docs/guide/python.md');
const blocks = page?.blocks ?? [];
const programs = blocks.flatMap((block, index) =>
  block.language === 'python' && block.words.includes('run') ? [{ ...block, output: blocks[index + 1]?.text }] : [],
);

/** The first interpreter that can import what a program imports. */
async function interpreterOf(program: string): Promise<string | undefined> {
  const imports = program.match(/^(?:from|import) .+$/gm)?.join('\n') ?? '';
  for (const interpreter of interpreters)
    if (
      await run(interpreter, ['-c', imports]).then(
        () => true,
        () => false,
      )
    )
      return interpreter;
  return undefined;
}

test('every program on the page for Python has an expected output', () => {
  expect(programs.length).toBeGreaterThan(0);
  expect(programs.filter(({ output }) => output === undefined)).toEqual([]);
});

test.for(programs)('the program at $place prints what the page says [O5]', async ({ text, output }, { skip }) => {
  const interpreter = await interpreterOf(text);
  if (interpreter === undefined) return skip('TOOLWHARF_PYTHON names no interpreter with the packages of this program');
  await using directory = await tempDir();
  await writeFile(directory.file('npx'), npx(), { mode: 0o755 });
  await writeFile(directory.file('package.json'), '{"type":"module"}');
  const config = blocks.find(({ file }) => file === 'toolwharf.yaml');
  await writeFile(directory.file('toolwharf.yaml'), `${config?.text}\n`);
  const cli = cliIn(directory);
  const env = { PATH: `${directory.path}:${process.env.PATH}` };
  await using gateway = await startGatewayHere(cli, directory.file('data'), ['-c', directory.file('toolwharf.yaml')], {
    env,
  });
  const program = directory.file('program.py');
  await writeFile(program, text.replaceAll('http://127.0.0.1:7420', gateway.url));
  const { stdout } = await run(interpreter, [program]);
  expect(stdout.trimEnd()).toBe(output);
});
