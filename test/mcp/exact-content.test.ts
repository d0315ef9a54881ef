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

const servers = [
  ...['stdio', 'http'].flatMap((transport) => eras.map((era) => ({ name: `${transport}-${era}`, transport, era }))),
  { name: 'sse-legacy', transport: 'sse', era: 'legacy' as const },
];
let served: ServedMcp;
const agent = new Agent({ keepAlive: true });
const https: HttpServer[] = [];

beforeAll(async () => {
  const config: Record<string, JsonObject> = {};
  for (const { name, transport, era } of servers) {
    if (transport === 'stdio') config[name] = fixture('exact', { ERA: era, NAME: `-${name}` }) as unknown as JsonObject;
    else {
      const server = await startHttp('exact', { ERA: era, [transport.toUpperCase()]: '1', NAME: `-${name}` });
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

/** Sends a JSON text to the gateway, and returns the text of the reply. `onEvent` gets the text of each message of a stream. */
function post(
  body: string | Buffer,
  headers: Readonly<Record<string, string>>,
  onEvent: (text: string) => void = () => {},
): Promise<{ text: string; session?: string }> {
  const usual = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  return new Promise((resolve, reject) => {
    const sent = request(served.url, { method: 'POST', agent, headers: { ...usual, ...headers } }, (response) => {
      const parts: Buffer[] = [];
      let events = 0;
      response.on('data', (part: Buffer) => {
        parts.push(part);
        const received = [
          ...Buffer.concat(parts)
            .toString()
            .matchAll(/^data: (.*)\n\n/gm),
        ];
        for (const [, text = ''] of received.slice(events)) onEvent(text);
        events = received.length;
      });
      response.on('end', () =>
        resolve({ text: Buffer.concat(parts).toString(), session: response.headers['mcp-session-id']?.toString() }),
      );
    });
    sent.on('error', reject).end(body);
  });
}

let session: Promise<string> | undefined;

/** The headers of a request, and the `_meta` that it needs. */
async function envelopeOf(
  era: Era,
  method: string,
  name: string,
): Promise<{ readonly meta: string; readonly headers: Readonly<Record<string, string>> }> {
  if (era === 'modern') {
    const meta =
      '"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}},"sampling":{}},"io.modelcontextprotocol/logLevel":"debug"';
    return { meta, headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, 'mcp-name': name } };
  }
  const params = { ...initializeParams, capabilities: { elicitation: { form: {} }, sampling: {} } };
  session ??= post(JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }), {}).then(
    ({ session: id }) => String(id),
  );
  return { meta: '', headers: { 'mcp-session-id': await session } };
}

/** Sends a request whose params have these members; the text of the reply. The answer to a question is the JSON text `answer`. */
async function send(era: Era, method: string, name: string, members: string, { meta = '', answer = '' } = {}) {
  const envelope = await envelopeOf(era, method, name);
  const allMeta = [envelope.meta, meta].filter((each) => each !== '').join();
  const body = (more = '') =>
    `{"jsonrpc":"2.0","id":1,"method":"${method}","params":{${[members, more, `"_meta":{${allMeta}}`].filter((each) => each !== '').join()}}}`;
  const answering: Promise<unknown>[] = [];
  const { text } = await post(body(), envelope.headers, (event) => {
    const { id, method: asked } = JSON.parse(event) as JsonObject;
    if (id !== undefined && asked !== undefined)
      answering.push(post(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${answer}}`, envelope.headers));
  });
  await Promise.all(answering);
  if (!text.includes('"input_required"')) return text;
  const { result } = JSON.parse(text.startsWith('{') ? text : (/^data: (.*)$/gm.exec(text)?.[1] ?? '')) as {
    result: { inputRequests: JsonObject; requestState: string };
  };
  const responses = Object.keys(result.inputRequests).map((key) => `${JSON.stringify(key)}:${answer}`);
  const next = `"inputResponses":{${responses}},"requestState":${JSON.stringify(result.requestState)}`;
  return `${text}\n${(await post(body(next), envelope.headers)).text}`;
}

/** Calls a tool with a text as its arguments; the text of the result. */
function call(era: Era, tool: string, args: string, options: { meta?: string; answer?: string } = {}): Promise<string> {
  return send(era, 'tools/call', tool, `"arguments":${args},"name":${JSON.stringify(tool)}`, options);
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

/** A JSON text as a value whose numbers are texts, so that all their digits are compared. */
function parseDigits(text: string): unknown {
  return JSON.parse(
    text.replaceAll(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, (token) =>
      token.startsWith('"') ? token : `"number ${token}"`,
    ),
  );
}

/** What the server received and the client got, for arguments with these members and a result with this structure. */
async function exchange(era: Era, tool: string, more: string, structured: string, isModernServer: boolean) {
  const type = isModernServer ? '"resultType":"complete",' : '';
  const result = `{${type}"content":[{"type":"text","text":"LINE","n":1.0}],"structuredContent":${structured},"_meta":{"x":${more}},"x":1e2}`;
  const args = `{"result":${JSON.stringify(result)},"more":${more}}`;
  const text = await call(era, tool, args, { meta: `"x":${structured}` });
  const replyText = text.startsWith('{') ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? '');
  const reply = parseDigits(replyText) as { result: { content: [{ text: string }]; _meta: { x: unknown } } };
  const { content, _meta: resultMeta } = reply.result;
  const line = content[0].text;
  const { params } = parseDigits(line) as { params: { _meta: { x: unknown } } };
  return { args, text, result, line, sentMeta: params._meta.x, resultMeta: resultMeta.x };
}

describe.each(servers)('a server with $name', ({ name: server, transport, era: serverEra }) => {
  const tool = server;

  test.each(eras)(
    'the arguments of a %s client and the results of its calls pass as they were written [O6]',
    async (era) => {
      const toolName = toolOf(tool);
      await fc.assert(
        fc.asyncProperty(jsonText, objectText(jsonText), async (more, structured) => {
          const isModernServer = serverEra === 'modern';
          const exchanged = await exchange(era, toolName, more, structured, isModernServer);
          const { args, text, result, line, sentMeta, resultMeta } = exchanged;
          // `_meta` is merged with that of the gateway.
          expect(sentMeta).toEqual(parseDigits(structured));
          expect(resultMeta).toEqual(parseDigits(more));
          expect(line).toContain(`"arguments":${transport === 'stdio' ? inLine(args) : args}`);
          // Line ends between tokens become spaces on pipes and event streams.
          const [before = '', after = ''] = inLine(result).split('LINE');
          const isTranslated = era === 'modern' || isModernServer;
          const start = isTranslated ? before.slice(before.indexOf('"content"')) : `"result":${before}`;
          expect(inLine(text)).toContain(start);
          expect(inLine(text)).toContain(
            isTranslated ? after.slice(0, -`,"_meta":{"x":${more}},"x":1e2}`.length) : `${after}}`,
          );
          expect(inLine(text)).toContain('"x":1e2');
        }),
        { numRuns },
      );
    },
  );

  test.each([
    ['with a name twice', '{"id":1.0,"id":9007199254740993,"i\\u0064":"x"}'],
    ['of 500 levels', `{"deep":${'[ '.repeat(498)}9007199254740993${' ]'.repeat(498)}}`],
    ['of 1 MB', `{"numbers":[${'9007199254740993, 1.0,-0,1E+2,'.repeat(35_000)}null]}`],
    ['of 30 000 members', `{${Array.from({ length: 30_000 }, (_, at) => `"${at}": ${at}.0`).join(',')}}`],
  ])('a result %s passes as it was written', async (_what, structured) => {
    const type = serverEra === 'modern' ? '"resultType":"complete",' : '';
    const result = `{${type}"content":[],"structuredContent":${structured}}`;
    for (const era of eras) {
      const text = await call(era, toolOf(server), `{"result":${JSON.stringify(result)}}`);
      expect(text.includes(structured), text.slice(0, 300)).toBe(true);
    }
  });

  test('structured content of more than 512 levels is left out of a result, with a notice that says why', async () => {
    const type = serverEra === 'modern' ? '"resultType":"complete",' : '';
    const deep = `${'['.repeat(5_000)}1${']'.repeat(5_000)}`;
    const result = `{${type}"content":[{"type":"text","text":"kept","n":1.0}],"structuredContent":{"deep":${deep}}}`;
    for (const era of eras) {
      const text = await call(era, toolOf(server), `{"result":${JSON.stringify(result)}}`);
      expect(text).toContain('structuredContent is left out, it is nested deeper than 512 levels');
      expect(text).toContain('"text":"kept"');
      expect(text).not.toContain('[[[');
    }
  });
});

function toolOf(server: string, name = 'echo'): string {
  return served.toolbox.tools.find((one) => one.server === server && one.originalName === name)?.name ?? '';
}

/** Numbers that JavaScript would write otherwise. */
const odd = '{"id":9007199254740993,"one":1.0,"exp":1E+2,"neg":-0}';

describe.each(servers)('the other messages of a server with $name', ({ name: server, era: serverEra }) => {
  test.each(eras)('log messages and progress reach a %s client with all digits', async (era) => {
    const messages = [
      `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","logger":"l","data":${odd}}}`,
      `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":TOKEN,"progress":9007199254740993,"total":1e16,"_meta":{"a":${odd}}}}`,
    ];
    const meta = '"progressToken":7';
    const text = await call(era, toolOf(server), JSON.stringify({ send: messages }), { meta });
    expect(text).toContain(`"data":${odd}`);
    expect(text).toContain('"progress":9007199254740993');
    expect(text).toContain('"total":1e16');
    expect(text).toContain(`"a":${odd}`);
  });

  test.each(eras)('the data of an error reaches a %s client with all digits', async (era) => {
    const error = `{"code":-32050,"message":"no","data":${odd}}`;
    expect(await call(era, toolOf(server), JSON.stringify({ error }))).toContain(`"data":${odd}`);
    const number = '{"code":-32050,"message":"no","data":9007199254740993}';
    expect(await call(era, toolOf(server), JSON.stringify({ error: number }))).toContain('"data":9007199254740993');
  });

  test.each(eras)('questions and answers of a %s client keep all digits', async (era) => {
    const property = '{"type":"integer","maximum":9223372036854775807,"default":9007199254740993}';
    const ask = `{"method":"elicitation/create","params":{"message":"m","mode":"form","_meta":{"a":${odd}},"requestedSchema":{"type":"object","properties":{"n":{"type":"integer"},"d":${property}}}}}`;
    const answer = '{"action":"accept","content":{"n":9007199254740995},"_meta":{"one":1.0}}';
    const text = await call(era, toolOf(server), JSON.stringify({ ask }), { answer });
    expect(text).toContain(`"d":${property}`);
    expect(text).toContain(`"a":${odd}`);
    expect(text).toContain('\\"n\\":9007199254740995');
    // The gateway adds defaults where it answers for the client.
    if (era === 'legacy' || serverEra === 'legacy') expect(text).toContain('\\"d\\":9007199254740993');
    expect(text).toContain('\\"one\\":1.0');
  });

  test.each(eras)('a sampling request and its answer keep all digits for a %s client', async (era) => {
    const ask = `{"method":"sampling/createMessage","params":{"maxTokens":100,"temperature":1.0,"metadata":${odd},"messages":[{"role":"user","content":{"type":"text","text":"t"}}]}}`;
    const answer =
      '{"role":"assistant","model":"m","content":{"type":"text","text":"t"},"_meta":{"n":9007199254740993}}';
    const text = await call(era, toolOf(server), JSON.stringify({ ask }), { answer });
    expect(text).toContain(`"metadata":${odd}`);
    expect(text).toContain('"temperature":1.0');
    expect(text).toContain('\\"n\\":9007199254740993');
  });

  test.each(eras)('resources, prompts and completions keep all digits for a %s client', async (era) => {
    const meta = '"n":9007199254740993,"f":1.0';
    const type = serverEra === 'modern' ? '"resultType":"complete",' : '';
    const result = (members: string) => `{${type}${members},"x":${odd},"line":"LINE"}`;
    const uri = `raw-${server}:${encodeURIComponent(result('"contents":[{"uri":"a:b","text":"","_meta":{"one":1.0}}]'))}`;
    const read = await send(era, 'resources/read', uri, `"uri":"${uri}"`, { meta });
    expect(read).toContain(`"x":${odd}`);
    expect(read).toContain('"_meta":{"one":1.0}');
    expect(read).toContain('\\"n\\":9007199254740993,\\"f\\":1.0');
    const prompt = `raw-${server}`;
    const prompted = `"name":"${prompt}","arguments":{"result":${JSON.stringify(result('"messages":[]'))}}`;
    const got = await send(era, 'prompts/get', prompt, prompted, { meta });
    expect(got).toContain(`"x":${odd}`);
    expect(got).toContain('\\"n\\":9007199254740993,\\"f\\":1.0');
    const value = JSON.stringify(result('"completion":{"values":[]}'));
    const completing = `"ref":{"type":"ref/prompt","name":"${prompt}"},"argument":{"name":"result","value":${value}}`;
    const completed = await send(era, 'completion/complete', prompt, completing, { meta });
    expect(completed).toContain(`"x":${odd}`);
    expect(completed).toContain('\\"n\\":9007199254740993,\\"f\\":1.0');
  });

  test.each(eras)(
    'a %s client gets the definitions of tools, prompts and resources as they were written',
    async (era) => {
      const listed = async (method: string) => inLine(await send(era, method, '', ''));
      const tools = await listed('tools/list');
      const [tool = ''] =
        /\{"x-version".*?"revision"/.exec(
          tools.slice(tools.lastIndexOf('{"x-version"', tools.indexOf(`"bounded-${server}"`))),
        ) ?? [];
      const input =
        '{"properties": {"10":{"maximum":9223372036854775807,"minimum":-9223372036854775808},   "2":{"default":9007199254740993,"multipleOf":1.0,"enum":[9007199254740993,1E+2]}},"type":"object","x-limit":-0}';
      expect(tool).toContain(
        `{"x-version":1.0,"inputSchema":${input},"outputSchema":{"type":"object","maximum":9007199254740993},"name":"bounded-${server}","_meta":{"revision"`,
      );
      const wrapped = '{"type":"integer","maximum":9007199254740993}';
      expect(tools.slice(tools.indexOf(`"name":"wrapped-${server}"`))).toContain(
        era === 'legacy' ? `"properties":{"result":${wrapped}}` : `"outputSchema":${wrapped}`,
      );
      const revisions = (text: string) => text.match(/"revision":9007199254740993/g)?.length;
      expect(revisions(tools)).toBe(servers.length);
      expect(revisions(await listed('prompts/list'))).toBe(servers.length);
      expect(revisions(await listed('resources/templates/list'))).toBe(servers.length);
    },
  );

  test('arguments are compared with the exact bounds of the definition', async () => {
    const check = (args: string) => call('legacy', toolOf(server, `bounded-${server}`), args);
    for (const args of [
      '{"10":9223372036854775807}',
      '{"10":-9223372036854775808}',
      '{"2":9007199254740993}',
      '{"2":100}',
    ])
      expect(await check(args)).toContain(JSON.stringify(args).slice(1, -1));
    for (const args of [
      '{"10":9223372036854775808}',
      '{"10":9223372036854776000}',
      '{"2":9007199254740992}',
      '{"2":1.5}',
    ])
      expect(await check(args)).toContain('ARGUMENTS_INVALID');
  });
});

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
