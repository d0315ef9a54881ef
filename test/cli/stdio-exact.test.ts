import { PassThrough } from 'node:stream';
import { afterAll, expect, test } from 'vitest';
import { startApi } from '../support/api.ts';
import { fixture, tempDir } from '../support/fixtures.ts';
import { initializeParams } from '../support/raw-mcp.ts';
import { cliIn } from '../support/run-cli.ts';

const directory = await tempDir();
afterAll(() => directory[Symbol.asyncDispose]());
const cli = cliIn(directory);
const servers = { s: fixture('exact') };

/** `toolwharf stdio` in this process, as text. */
function openStdio(args: readonly string[]) {
  const stdin = new PassThrough();
  let output = '';
  let received = () => {};
  const command = cli.open(['stdio', ...args], {
    stdin,
    onOutput(chunk: Buffer) {
      output += chunk;
      received();
    },
  });
  return {
    send: (line: string) => stdin.write(`${line}\n`),
    /** The line that answers the request with this id, and all lines before it. */
    async until(id: number): Promise<string> {
      for (;;) {
        const end = new RegExp(
          `^.*"id":${id}[,}].*("result"|"error").*$|^.*("result"|"error").*"id":${id}[,}].*$`,
          'm',
        ).exec(output);
        if (end) return output;
        await new Promise<void>((resolve) => {
          received = resolve;
        });
      }
    },
    async [Symbol.asyncDispose]() {
      stdin.end();
      await command.ended;
    },
  };
}

const large = '9007199254740993';

/** Lists the tools, makes a call and reads its messages. */
async function check(args: readonly string[]): Promise<void> {
  await using stdio = openStdio(args);
  stdio.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: initializeParams }));
  await stdio.until(1);
  stdio.send('{"jsonrpc":"2.0","method":"notifications/initialized"}');
  stdio.send('{"jsonrpc":"2.0","id":2,"method":"tools/list"}');
  expect(await stdio.until(2)).toContain('"count":{"type":"integer","maximum":9223372036854775807,');
  const structured = `{"id": ${large},"2":1.0,"1":-0}`;
  const result = `{"content":[{"type":"text","text":"LINE"}],"structuredContent":${structured}}`;
  const log = `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":${structured}}}`;
  const sent = `{"result":${JSON.stringify(result)},"send":[${JSON.stringify(log)}],"n": ${large},"b":1.0,"1":[-0]}`;
  stdio.send(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"s__echo","arguments":${sent}}}`);
  const output = await stdio.until(3);
  expect(output).toContain(`"structuredContent":${structured}`);
  expect(output).toContain(`"data":${structured}`);
  expect(output).toContain(JSON.stringify(`"arguments":${sent}`).slice(1, -1));
  stdio.send(
    '{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"s__echo","arguments":{"a":1,"\\u0061":2}}}',
  );
  expect(await stdio.until(4)).toContain('occurs twice');
}

test('toolwharf stdio passes arguments, results, definitions and log messages on as they were written', async () => {
  await check(['--local', '-c', await cli.config({ gateway: { listWait: '20s' }, servers })]);
});

test('toolwharf stdio in front of a gateway passes them on as they were written', async () => {
  await using api = await startApi({ servers });
  await check(['--url', api.url]);
});
