import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { isObject } from '../../../packages/contract/json.ts';
import { startApi } from '../../support/api.ts';
import { fixture, tempDir } from '../../support/fixtures.ts';
import { root } from '../../support/imports.ts';
import { toPage } from '../../support/markdown.ts';
import { waitFor } from '../../support/wait-for.ts';

const file = 'docs/reference/api.md';
const page = toPage(file, readFileSync(join(root, file), 'utf8'));
const run = promisify(execFile);

test('the examples of docs/reference/api.md return the documented responses', async () => {
  await using api = await startApi({
    servers: { files: fixture('legacy') },
    toolbox: { approval: { ask: ['*_add'] } },
    profiles: { research: {} },
    gateway: { requireAuthentication: true },
  });
  await using directory = await tempDir();
  await mkdir(directory.file('bin'));
  await writeFile(directory.file('bin/curl'), curl, { mode: 0o755 });
  const key = await api.key(['read', 'call']);
  const waiting = api.post('/api/tools/mcp_files_add/call', { arguments: { a: 1, b: 2 } }, { key });
  const approval = await waitFor(async () => (await api.storage.approvals.list({ status: 'pending' }))[0]?.request.id);
  const env = {
    PATH: `${directory.file('bin')}:${process.env.PATH}`,
    TOKEN: api.adminToken,
    KEY: key,
    APPROVAL: approval ?? '',
  };
  const examples = page.blocks.filter(({ language }) => language === 'console').flatMap(({ text }) => examplesIn(text));
  expect(examples.length).toBeGreaterThan(8);
  for (const { command, output } of examples) {
    const { stdout } = await run('/bin/sh', ['-c', command.replaceAll('http://127.0.0.1:7420', api.url)], { env });
    expect(JSON.parse(stdout), command).toMatchObject(asPattern(JSON.parse(output)) as object);
  }
  expect((await waiting).body.text).toBe('42');
});

test('the tables of events and metrics in the reference are complete', async () => {
  await using api = await startApi({ servers: {} });
  const named = new Set([...page.text.matchAll(/`((?:tool_usage|toolwharf|process)_\w+)`/g)].map(([, name]) => name));
  const { body } = await api.get('/metrics');
  const served = [...String(body).matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name);
  expect([...named].map((name) => name?.replace(/^tool_usage_\w+$/, 'tool_usage'))).toEqual(
    expect.arrayContaining(served),
  );
  const { eventSchemas } = await import('../../../packages/contract/api/events.ts');
  for (const name of Object.keys(eventSchemas)) expect(page.text).toContain(`\`${name}\``);
});

function examplesIn(text: string): { readonly command: string; readonly output: string }[] {
  const [, ...parts] = `\n${text}`.split(/\n\$ /);
  return parts.map((part) => {
    const [command = '', ...lines] = part.split('\n');
    return { command, output: lines.join('\n') };
  });
}

/** Three dots match any text. */
function asPattern(value: unknown): unknown {
  if (value === '…') return expect.stringMatching(/./);
  if (Array.isArray(value)) return value.map(asPattern);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, asPattern(member)]));
}

/** The subset of curl that the examples use, so that the test does not need curl. */
const curl = `#!${process.execPath}
const [args, headers] = [process.argv.slice(2), {}];
let url, method, body;
while (args.length > 0) {
  const arg = args.shift();
  if (arg === '-H') { const [name, ...value] = args.shift().split(':'); headers[name] = value.join(':').trim(); }
  else if (arg === '-d') body = args.shift();
  else if (arg === '-X') method = args.shift();
  else if (arg !== '-s') url = arg;
}
const response = await fetch(url, { method: method ?? (body === undefined ? 'GET' : 'POST'), headers, body });
console.log(await response.text());
`;
