import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { fixture, startHttp, tempDir } from '../support/fixtures.ts';
import { freePort } from '../support/oauth.ts';
import { waitFor } from '../support/wait-for.ts';

/** Runs a program that opens a toolbox with this server and does not close it. */
async function run(server: object, lines: string): Promise<{ code: number | null; output: string[] }> {
  await using directory = await tempDir();
  const program = directory.file('program.mjs');
  const library = JSON.stringify(resolve('packages/toolwharf/index.ts'));
  const config = JSON.stringify({ servers: { s: server } });
  await writeFile(
    program,
    `import { createToolbox } from ${library};\nconst toolbox = await createToolbox(${config}, { startWaitMs: 120_000 });\n${lines}`,
  );
  const child = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [output, [code]] = await Promise.all([readText(child.stdout), once(child, 'exit')]);
  return { code, output: output.trim().split('\n') };
}

const call = `
const { text } = await toolbox.call('mcp_s_echo', { text: 'done' });
console.log(text);
console.log(toolbox.servers.get('s').status.pid);`;

test('a program that does not close its toolbox ends when its work has ended, and so do its servers', async () => {
  const { code, output } = await run(fixture('legacy'), call);
  expect([code, output[0]]).toEqual([0, 'done']);
  await waitFor(() => !isAlive(Number(output[1])), { what: 'the end of the server' });
});

test.each(['legacy-http', 'modern-http'] as const)('a program ends although it is connected to %s', async (name) => {
  await using server = await startHttp(name);
  expect(await run({ url: server.url }, call)).toMatchObject({ code: 0, output: ['done', 'undefined'] });
});

test('a call in flight keeps the process alive until it has ended', async () => {
  const lines = `toolbox.call('mcp_s_sleep', { ms: 1_500 }).then(({ text }) => console.log(text));`;
  expect(await run(fixture('legacy'), lines)).toEqual({ code: 0, output: ['slept 1500 ms'] });
});

test('a request to a server that cannot be reached keeps the process alive until it has failed', async () => {
  const lines = `
const failed = (cause) => console.log(cause.code);
await toolbox.servers.setLogLevel('s', 'debug').catch(failed);
await toolbox.servers.request('s', 'ping', {}).catch(failed);`;
  const { code, output } = await run({ url: `http://127.0.0.1:${await freePort()}/mcp` }, lines);
  expect({ code, output }).toEqual({ code: 0, output: ['SERVER_DISCONNECTED', 'SERVER_DISCONNECTED'] });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
