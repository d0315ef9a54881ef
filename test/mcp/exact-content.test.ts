import { Agent, request } from 'node:http';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../packages/contract/json.ts';
import { fixture, type HttpServer, startHttp } from '../support/fixtures.ts';
import { initializeParams } from '../support/raw-mcp.ts';
import { type ServedMcp, serveMcp } from '../support/serve-mcp.ts';

// FUZZ_RUNS sets the number of runs of each cell.
const numRuns = Number(process.env.FUZZ_RUNS ?? 25);
const eras = ['legacy', 'modern'] as const;
type Era = (typeof eras)[number];

const servers = ['stdio', 'http'].flatMap((transport) =>
  eras.map((era) => ({ name: `${transport}-${era}`, transport, era })),
);
let served: ServedMcp;
const agent = new Agent({ keepAlive: true });
const https: HttpServer[] = [];

beforeAll(async () => {
  const config: Record<string, JsonObject> = {};
  for (const { name, transport, era } of servers) {
    if (transport === 'stdio') config[name] = fixture('exact', { ERA: era }) as unknown as JsonObject;
    else {
      const server = await startHttp('exact', { ERA: era, HTTP: '1' });
      https.push(server);
      config[name] = { url: server.url };
    }
  }
  served = await serveMcp(config as never);
});
afterAll(async () => {
  agent.destroy();
  await served[Symbol.asyncDispose]();
  for (const server of https) await server[Symbol.asyncDispose]();
});

/** Sends a JSON text to the gateway, and returns the text of the reply. */
function post(
  body: string | Buffer,
  headers: Readonly<Record<string, string>>,
): Promise<{ text: string; session?: string }> {
  const usual = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  return new Promise((resolve, reject) => {
    const sent = request(served.url, { method: 'POST', agent, headers: { ...usual, ...headers } }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () =>
        resolve({ text: Buffer.concat(parts).toString(), session: response.headers['mcp-session-id']?.toString() }),
      );
    });
    sent.on('error', reject).end(body);
  });
}

let session: Promise<string> | undefined;

/** Calls a tool with a text as its arguments; the text of the result. */
async function call(era: Era, tool: string, args: string): Promise<string> {
  const name = JSON.stringify(tool);
  if (era === 'modern') {
    const meta =
      '{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}';
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': tool };
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":${name},"arguments":${args},"_meta":${meta}}}`;
    return (await post(body, headers)).text;
  }
  session ??= post(JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params: initializeParams }), {}).then(
    ({ session: id }) => String(id),
  );
  const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":${args},"name":${name}}}`;
  return (await post(body, { 'mcp-session-id': await session })).text;
}

const space = fc.constantFrom('', '', '', ' ', '\n', '\t ', ' \r\n');
const number = fc.oneof(
  fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }).map(String),
  fc.constantFrom(
    '9007199254740993',
    '-0',
    '1.0',
    '1e3',
    '1E+400',
    '0.10',
    '1e-400',
    '123456789.123456789123456789',
    '0',
    '-1',
  ),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
);
const string = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 8 }).map((text) => JSON.stringify(text)),
  fc.constantFrom('"\\u0041\\/\\ud800"', '"\\"}]{[,:\\\\"', '"\\ud83d\\ude00"', '"🙂 \u2028"', '"1.0"'),
);
const name = fc.oneof(
  string,
  fc.constantFrom('"2"', '"1"', '"__proto__"', '"result"', '"id"', '"arguments"', '"_meta"', '"rawJSON"'),
);
/** A JSON text, with spaces anywhere. */
const { value: jsonText } = fc.letrec<{ value: string }>((tie) => ({
  value: fc
    .tuple(
      space,
      fc.oneof(
        { maxDepth: 3, depthSize: 'small' },
        number,
        string,
        fc.constantFrom('true', 'false', 'null'),
        fc.array(tie('value'), { maxLength: 4 }).map((items) => `[${items.join(',')}]`),
        objectText(tie('value')),
      ),
      space,
    )
    .map((parts) => parts.join('')),
}));

function objectText(value: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .uniqueArray(fc.tuple(name, value, space), { maxLength: 4, selector: ([one]) => JSON.parse(one) })
    .map((members) => `{${members.map(([one, member, gap]) => `${gap}${one}${gap}:${member}`).join(',')}}`);
}

const inLine = (text: string) => text.replaceAll(/[\r\n]/g, ' ');

/** What the server received and the client got, for arguments with these members and a result with this structure. */
async function exchange(era: Era, tool: string, more: string, structured: string, isModernServer: boolean) {
  const type = isModernServer ? '"resultType":"complete",' : '';
  const result = `{${type}"content":[{"type":"text","text":"LINE","n":1.0}],"structuredContent":${structured},"x":1e2}`;
  const args = `{"result":${JSON.stringify(result)},"more":${more}}`;
  const text = await call(era, tool, args);
  const reply = JSON.parse(text.startsWith('{') ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? '')) as {
    result: { content: [{ text: string }] };
  };
  return { args, text, result, line: reply.result.content[0].text };
}

describe.each(servers)('a server with $name', ({ name: server, transport, era: serverEra }) => {
  const tool = server;

  test.each(eras)(
    'the arguments of a %s client and the results of its calls pass as they were written',
    async (era) => {
      const toolName = toolOf(tool);
      await fc.assert(
        fc.asyncProperty(jsonText, objectText(jsonText), async (more, structured) => {
          const { args, text, result, line } = await exchange(era, toolName, more, structured, serverEra === 'modern');
          expect(line).toContain(`"arguments":${transport === 'stdio' ? inLine(args) : args}`);
          // Line ends between tokens become spaces on pipes and event streams.
          const [before = '', after = ''] = inLine(result).split('LINE');
          const isTranslated = era === 'modern' || serverEra === 'modern';
          const start = isTranslated ? before.slice(before.indexOf('"content"')) : `"result":${before}`;
          expect(inLine(text)).toContain(start);
          expect(inLine(text)).toContain(after.slice(0, -1));
          if (!isTranslated) expect(inLine(text)).toContain(`${after}}`);
        }),
        { numRuns },
      );
    },
  );
});

function toolOf(server: string): string {
  return served.toolbox.tools.find((one) => one.server === server && one.originalName === 'echo')?.name ?? '';
}

describe('arguments with a name that occurs twice', () => {
  test.each(eras)(
    'a %s client cannot send a name twice: the call is refused before anything is decided',
    async (era) => {
      const text = await call(era, toolOf('stdio-legacy'), '{"more":{"path":"/tmp","p\\u0061th":"/etc"}}');
      const { error } = JSON.parse(text) as { error: { code: number; message: string; data: unknown } };
      expect(error.code).toBe(-32602);
      expect(error.message).toContain('"path" occurs twice');
      expect(error.data).toEqual({ code: 'ARGUMENTS_INVALID' });
    },
  );
});

test('a body that is not UTF-8 is refused', async () => {
  const { text } = await post(
    Buffer.from('{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"\xff"}}', 'latin1'),
    {},
  );
  expect(text).toContain('is not UTF-8');
});
