import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { loadLocalTools } from './local-tools.ts';

const directory = await mkdtemp(join(tmpdir(), 'toolwharf-'));
afterAll(() => rm(directory, { recursive: true, force: true }));

async function module(name: string, text: string): Promise<string> {
  const file = join(directory, name);
  await writeFile(file, text);
  return file;
}

const tool = (name: string) => `{ name: '${name}', execute: () => '${name}' }`;

test('tools are the default export, alone or in a list, and named exports that are tools, in the order of the modules', async () => {
  const files = [
    await module('list.mjs', `export default [${tool('a')}, ${tool('b')}]; export const helper = () => 1;`),
    await module('one.mjs', `export default ${tool('c')};`),
    await module('named.ts', `export const d: object = ${tool('d')}; export { d as alias };`),
  ];
  expect((await loadLocalTools(files)).map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd']);
  expect(await loadLocalTools([])).toEqual([]);
});

test.each([
  ['nothing.mjs', 'export const x = 1;', 'it exports no tools'],
  ['item.mjs', `export default [${tool('a')}, 5];`, "item 1 of its default export is not a tool: it needs a 'name'"],
  ['main.mjs', 'export default () => 1;', 'its default export is not a tool'],
  ['syntax.mjs', 'export default [', ''],
  ['missing.mjs', "import './no-such-file.mjs';", 'Cannot find module'],
])('%s is an error with the path and the reason', async (name, text, reason) => {
  const file = await module(name, text);
  const message = expect.stringContaining(`Local tools cannot be loaded from ${file}: ${reason}`);
  await expect(loadLocalTools([file])).rejects.toMatchObject({ code: 'CONFIG_INVALID', message });
});

test('a module that does not exist is an error', async () => {
  await expect(loadLocalTools([join(directory, 'none.mjs')])).rejects.toThrow(/none\.mjs: ENOENT/);
});

test('a Python module is refused with the way to serve it as an MCP server', async () => {
  await expect(loadLocalTools(['/srv/agent/mytools.py'])).rejects.toThrow(
    /mytools\.py: it is a Python module.*from fastmcp import FastMCP.*import mytools.*server\.run\(\).*--with, fastmcp/s,
  );
});
