import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openStorage } from '../../packages/gateway/core/storage/open-storage.ts';
import { runOpenAIToolCalls } from '../../packages/toolwharf/bridges/openai.ts';
import { localTool, parseJsonText, toJsonText } from '../../packages/toolwharf/index.ts';
import { parseExactly } from '../../packages/toolwharf/kernel/exact-json.ts';
import { createSealer } from '../../packages/toolwharf/storage/sealer.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { fixture, tempDir } from '../support/fixtures.ts';
import { initializeParams } from '../support/raw-mcp.ts';
import { addScriptedAssistant, answerIn } from '../support/scripted-assistant.ts';
import { serveHttpApi } from '../support/serve-http-api.ts';
import { openToolbox } from '../support/toolbox.ts';

const large = '9007199254740993';
const directory = await tempDir();
const key = randomBytes(32);
const openStore = (name: string) =>
  openStorage({ kind: 'sqlite', file: directory.file(name), sealer: createSealer(key) });
let api: TestApi;

beforeAll(async () => {
  const storage = await openStore('gateway.db');
  const toolbox = { approval: { ask: ['*_other'], expires: '60s' } };
  const profiles = { code: { expose: 'code' }, search: { expose: 'search' } } as const;
  api = await startApi(
    { servers: { s: fixture('exact') }, toolbox, profiles },
    { storage, env: { PATH: process.env.PATH } },
  );
});
afterAll(async () => {
  await api.close();
  await directory[Symbol.asyncDispose]();
});

/** Follows the events of one name; `next` resolves with the data of the next one. */
async function listen(name: string): Promise<{ next(): Promise<string> }> {
  const response = await fetch(new URL('/api/events', api.url));
  const parts = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const read = async (pattern: RegExp): Promise<string> => {
    for (;;) {
      const found = pattern.exec(text)?.[1];
      if (found !== undefined) return found;
      text += (await parts?.read())?.value ?? '';
    }
  };
  await read(/event: (ready)/);
  return {
    async next() {
      const data = await read(new RegExp(`event: ${name}\ndata: (.*)\n`));
      await parts?.cancel();
      return data;
    },
  };
}

async function send(method: string, path: string, body?: string): Promise<{ status: number; text: string }> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(new URL(path, api.url), { method, ...(body !== undefined && { headers, body }) });
  return { status: response.status, text: await response.text() };
}

const args = `{"n": ${large},"2":1.0, "1":-0}`;

describe('a call over the REST API', () => {
  test('a call over REST sends its arguments as they were written, and returns all digits [O6]', async () => {
    const result = `{"structuredContent":{"id":${large},"f":1.0},"content":[{"type":"text","text":"LINE","n":1e2}]}`;
    const body = `{"arguments":{"result":${JSON.stringify(result)},"more":${args}}}`;
    const { text } = await send('POST', '/api/tools/mcp_s_echo/call', body);
    expect(text).toContain(`"structuredContent":{"id":${large},"f":1.0}`);
    expect(text).toContain('"n":1e2');
    expect((JSON.parse(text) as { text: string }).text).toContain(`"more":${args}}`);
  });

  test('a call over REST is recorded as it was sent', async () => {
    const { text } = await send('POST', '/api/tools/mcp_s_echo/call', `{"arguments":${args}}`);
    const { callId } = JSON.parse(text) as { callId: string };
    const { text: recorded } = await send('GET', `/api/calls/${callId}`);
    expect(recorded).toContain(`"n":${large}`);
    expect(recorded).toContain('1.0');
    expect((await send('GET', '/api/calls?limit=1')).text).toContain(`"n":${large}`);
  });

  test('a call over REST is refused if a name occurs twice', async () => {
    const { status, text } = await send('POST', '/api/tools/mcp_s_echo/call', '{"arguments":{"a":1,"a":2}}');
    expect(status).toBe(400);
    expect(text).toContain('\\"a\\" occurs twice');
  });

  test('calls whose numbers differ in the last digit cannot share an idempotency key', async () => {
    const call = (number: string) =>
      send('POST', '/api/tools/mcp_s_echo/call', `{"arguments":{"n":${number}},"idempotencyKey":"k"}`);
    const first = await call(large);
    expect((await call(large)).text).toBe(first.text);
    expect((await call('9007199254740992')).text).toContain('IDEMPOTENCY_CONFLICT');
  });

  test('an approval shows all digits, and the call sends the digits that its approver wrote', async () => {
    const calling = send('POST', '/api/tools/mcp_s_other/call', `{"arguments":{"n":${large}}}`);
    const list = async () => (await send('GET', '/api/approvals')).text;
    await expect.poll(list, { timeout: 60_000 }).toContain(`"n":${large}`);
    const { approvals } = JSON.parse(await list()) as { approvals: { id: string }[] };
    const answer = '{"answer":"allow","arguments":{"n":9007199254740995}}';
    const answered = await send('POST', `/api/approvals/${approvals[0]?.id}/answer`, answer);
    expect(answered.status).toBeLessThan(300);
    expect((await calling).text).toContain('\\"n\\":9007199254740995');
  });

  test('a saved request keeps all digits', async () => {
    const body = `{"name":"one","tool":"mcp_s_echo","arguments":{"n":${large}}}`;
    const saved = await send('POST', '/api/requests', body);
    expect(saved.text).toContain(`"n":${large}`);
    expect((await send('GET', '/api/requests')).text).toContain(`"n":${large}`);
  });
});

describe('questions and errors over the REST API', () => {
  /** Waits until a call has asked its question; the text of the list of questions. */
  async function findQuestion(): Promise<{ id: string; text: string }> {
    const list = async () => (await send('GET', '/api/questions')).text;
    await expect.poll(list, { timeout: 60_000 }).toContain('"params"');
    const text = await list();
    const { questions } = JSON.parse(text) as { questions: { id: string }[] };
    return { id: String(questions[0]?.id), text };
  }

  test('a question and its answer keep all digits, and the answer is compared with the exact bounds of the form', async () => {
    const events = await listen('question.asked');
    const property = `{"type":"integer","maximum":9223372036854775807,"default":${large}}`;
    const ask = `{"method":"elicitation/create","params":{"message":"m","mode":"form","requestedSchema":{"type":"object","properties":{"n":{"type":"integer"},"d":${property}}}}}`;
    const calling = send('POST', '/api/tools/mcp_s_echo/call', JSON.stringify({ arguments: { ask } }));
    const { id, text } = await findQuestion();
    expect(text).toContain(property);
    expect(await events.next()).toContain(property);
    const answer = (content: string) =>
      send('POST', `/api/questions/${id}/answer`, `{"action":"accept","content":${content}}`);
    expect((await answer('{"d":9223372036854775808}')).text).toContain('expected a number <= 9223372036854775807');
    expect((await answer('{"n":9007199254740995}')).status).toBe(204);
    expect((await calling).text).toContain(`\\"content\\":{\\"n\\":9007199254740995,\\"d\\":${large}}`);
  });

  test('the data of an error of a server keeps all digits', async () => {
    const error = `{"code":-32050,"message":"no","data":{"id":${large},"one":1.0}}`;
    const { text } = await send('POST', '/api/tools/mcp_s_echo/call', JSON.stringify({ arguments: { error } }));
    expect(text).toContain(`"rpcData":{"id":${large},"one":1.0}`);
  });
});

describe('reads over the REST API', () => {
  test('resources, prompts and their lists are returned as the server sent them', async () => {
    await expect.poll(async () => (await send('GET', '/api/servers/s/prompts')).text).toContain(`"revision":${large}`);
    const result = (members: string) => `{"messages": [],"2":1,${members},"x":{"id":${large},"one":1.0}}`;
    const body = JSON.stringify({ arguments: { result: result('"a":1E+2') } });
    expect((await send('POST', '/api/servers/s/prompts/raw', body)).text).toBe(result('"a":1E+2'));
    const contents = result('"contents":[{"uri":"a:b","text":""}]');
    const uri = encodeURIComponent(`raw:${encodeURIComponent(contents)}`);
    expect((await send('GET', `/api/servers/s/resources/read?uri=${uri}`)).text).toBe(contents);
    const { text } = await send('GET', '/api/tools/mcp_s_count');
    expect(text).toContain(`"count":{"type":"integer","maximum":9223372036854775807,"default":${large}}`);
  });
});

describe('texts that programs could read in two ways', () => {
  const call = (args: string) => send('POST', '/api/tools/mcp_s_echo/call', `{"arguments":${args}}`);

  test.each([
    ['{"a":1,"\\u0061":2}', '\\"a\\" occurs twice'],
    ['{"a":[{"b":{"c":1,"c":1}}]}', '\\"c\\" occurs twice'],
    ['{"a":1},"arguments":{"a":2}', '\\"arguments\\" occurs twice'],
    ['{"a":1},"\\u0061rguments":{"a":2}', '\\"arguments\\" occurs twice'],
    ['{"a":01}', 'is not JSON'],
    ['{"a":1,}', 'is not JSON'],
    ['{"a":NaN}', 'is not JSON'],
    ['{"a":"\u0001"}', 'is not JSON'],
    [`${'{"a":'.repeat(200)}1${'}'.repeat(200)}`, 'is nested more than 200 levels deep'],
  ])('the REST API refuses the arguments %j', async (args, problem) => {
    const { status, text } = await call(args);
    expect(status).toBe(400);
    expect(text).toContain(problem);
  });

  test('the REST API refuses a body with a byte order mark, and one that is not UTF-8', async () => {
    const path = '/api/tools/mcp_s_echo/call';
    expect((await send('POST', path, '\ufeff{"arguments":{}}')).text).toContain('is not JSON');
    const body = new Blob([Buffer.from('{"arguments":{"a":"\xff"}}', 'latin1')]);
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(new URL(path, api.url), { method: 'POST', headers, body });
    expect(await response.text()).toContain('is not UTF-8');
  });

  test.each(['1e400', '1E-9999', '-0', '-0.0', '9'.repeat(3_000), `0.${'1'.repeat(3_000)}`, '"\\ud800"', '"\\u0000"'])(
    'the value %s is passed on as it is written',
    async (value) => {
      const { status, text } = await call(`{"a":${value},"__proto__":{"b":${value}}}`);
      expect(status).toBe(200);
      const args = `{"a":${value},"__proto__":{"b":${value}}}`;
      expect((JSON.parse(text) as { text: string }).text).toContain(`"arguments":${args}`);
    },
  );
});

describe('the journal and the traffic', () => {
  test('an export of the journal has the arguments as they were sent', async () => {
    await send('POST', '/api/tools/mcp_s_echo/call', `{"arguments":${args}}`);
    const { text } = await send('GET', '/api/audit/entries?limit=500');
    expect(text).toContain(`"arguments":${args}`);
  });

  test('recorded messages of a server have all digits, in calls and in results', async () => {
    const path = '/api/servers/s/traffic';
    await send('PUT', path, '{"enabled":true}');
    const result = `{"content":[],"structuredContent":{"id":${large},"one":1.0}}`;
    await send('POST', '/api/tools/mcp_s_echo/call', `{"arguments":{"result":${JSON.stringify(result)},"n":${large}}}`);
    const { text } = await send('GET', path);
    await send('PUT', path, '{"enabled":false}');
    expect(text).toContain(`"n":${large}`);
    expect(text).toContain(`"structuredContent":{"id":${large},"one":1.0}`);
  });
});

describe('the library', () => {
  test('the library sends BigInts, and gives the text of a result', async () => {
    await using toolbox = await openToolbox({ servers: { s: fixture('exact') } });
    const result = `{"content":[{"type":"text","text":"LINE"}],"structuredContent":{"id":${large},"one":1.0}}`;
    const { text, raw, structuredContent } = await toolbox.call('mcp_s_echo', { result, n: 2n ** 64n });
    expect(text).toContain('"n":18446744073709551616');
    expect(toJsonText(raw)).toContain(`"structuredContent":{"id":${large},"one":1.0}`);
    expect(structuredContent).toEqual({ id: Number(large), one: 1 });
    expect(parseJsonText(toJsonText(raw))).toMatchObject({ structuredContent: { id: BigInt(large), one: 1 } });
  });

  test('a local tool gets BigInts, and may return them', async () => {
    const run = (args: unknown) => {
      const { n } = args as { n: number | bigint };
      return { type: typeof n, n, next: BigInt(n) + 1n };
    };
    const echo = localTool({ name: 'echo', execute: run });
    await using toolbox = await openToolbox({ servers: {} }, { tools: [echo] });
    const { text, structuredContent } = await toolbox.call('echo', { n: BigInt(large) });
    expect(text).toBe(`{"type":"bigint","n":${large},"next":9007199254740994}`);
    expect(toJsonText(structuredContent)).toBe(text);
    expect((await toolbox.call('echo', parseExactly('{"n":1.0}'))).text).toBe('{"type":"number","n":1,"next":2}');
  });

  test('a chain passes on all digits of its arguments and of the results of its steps', async () => {
    const result = `{"content":[{"type":"text","text":"{\\"id\\":${large}}"}],"structuredContent":{"id":${large}}}`;
    const chain = {
      input: { type: 'object', properties: { n: { type: 'integer' } } },
      steps: [
        { tool: 'mcp_s_echo', arguments: { result } },
        {
          tool: 'mcp_s_other',
          arguments: {
            n: '{{input.n}}',
            text: 'n={{input.n}}',
            structured: '{{steps.1.structured.id}}',
            json: '{{steps.1.json.id}}',
            whole: '{{steps.1.structured}}',
          },
        },
      ],
    };
    const last = { steps: [{ tool: 'mcp_s_echo', arguments: { result } }] };
    await using toolbox = await openToolbox({ servers: { s: fixture('exact') }, toolbox: { chains: { chain, last } } });
    const { text } = await toolbox.call('chain', { n: BigInt(large) });
    expect(text).toContain(`"arguments":{"n":${large},"text":"n=${large}","structured":${large},"json":${large},`);
    expect(text).toContain(`"whole":{"id":${large}}`);
    expect(toJsonText((await toolbox.call('last', {})).structuredContent)).toBe(`{"id":${large}}`);
  });

  test('a repeated call gets all digits of the recorded result', async () => {
    await using storage = await openStore('library.db');
    await using toolbox = await openToolbox({ servers: { s: fixture('exact') } }, {
      journal: storage.journal,
    } as never);
    const args = { result: `{"content":[],"structuredContent":{"id":${large}}}` };
    const first = await toolbox.call('mcp_s_echo', args, { idempotencyKey: 'again' });
    const again = await toolbox.call('mcp_s_echo', args, { idempotencyKey: 'again' });
    expect(toJsonText(again.raw)).toBe(toJsonText(first.raw));
    expect(again.structuredContent).toEqual(first.structuredContent);
  });

  test('a truncated result keeps the digits of what it shows', async () => {
    const config = { servers: { s: fixture('exact') }, toolbox: { maxResultBytes: 2_000 } };
    await using toolbox = await openToolbox(config);
    const result = `{"content":[{"type":"text","text":"${'x'.repeat(3_000)}"}],"structuredContent":{"id":${large}}}`;
    const { truncated, structuredContent, callId } = await toolbox.call('mcp_s_echo', { result });
    expect(truncated).toBeDefined();
    expect(toJsonText(structuredContent)).toBe(`{"id":${large}}`);
    expect(toolbox.calls.readResult(callId, 0, 10_000)?.text).toBe(result);
  });
});

describe('other faces', () => {
  /** Calls a tool of a profile over MCP with a text as its arguments; the text of the result. */
  async function callMcp(profile: string, name: string, args: string): Promise<string> {
    const meta =
      '{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}';
    const response = await fetch(new URL(`/mcp/${profile}`, api.url), {
      method: 'POST',
      headers: {
        ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        ...{ 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name },
      },
      body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":${args},"_meta":${meta}}}`,
    });
    return response.text();
  }

  test('a script gets BigInts, and sends and returns all their digits', async () => {
    const result = JSON.stringify(`{"content":[],"structuredContent":{"id":${large},"one":1.0,"text":"${large}"}}`);
    const code = `
      const found = await tools.s.echo({ result: ${result} });
      const { content } = await tools.s.echo({ id: found.id + 1n, one: found.one }).then((text) => ({ content: text }));
      ({ types: [typeof found.id, typeof found.one, typeof found.text], next: found.id + 1n, received: content })`;
    const text = await callMcp('code', 'run_code', JSON.stringify({ code }));
    expect(text).toContain('"types":["bigint","number","string"],"next":9007199254740994');
    expect(text).toContain('\\"arguments\\":{\\"id\\":9007199254740994,\\"one\\":1}');
  });

  test('a script gets every integer beyond 2^53 as a BigInt, whichever digits it has, and sends all of them as integers', async () => {
    const integers = ['9007199254740994', '-1234567890123456800', '1000000000000000000000', `1${'0'.repeat(30)}`];
    const others = ['1e+30', '1.5', '9007199254740991', '-0'];
    const result = JSON.stringify(`{"content":[],"structuredContent":{"values":[${[...integers, ...others]}]}}`);
    const code = `
      const { values } = await tools.s.echo({ result: ${result} });
      ({ types: values.map((value) => typeof value), received: await tools.s.echo({ values }) })`;
    const text = await callMcp('code', 'run_code', JSON.stringify({ code }));
    expect(text).toContain('"types":["bigint","bigint","bigint","bigint","number","number","number","number"]');
    expect(text).toContain(`\\"values\\":[${integers},1e+30,1.5,9007199254740991,`);
  });

  test('the descriptions of tools that models search have all digits', async () => {
    const schema = `{"type":"object","properties":{"count":{"type":"integer","maximum":9223372036854775807,"default":${large}}}}`;
    const described = await callMcp('search', 'describe_tools', '{"names":["s__count"]}');
    expect(described).toContain(`"inputSchema":${schema}`);
    expect(described).toContain(JSON.stringify(schema).slice(1, -1));
    expect(await callMcp('code', 'describe_tools', '{"names":["s.count"]}')).toContain(`Default: ${large}`);
  });

  test('the result of a task keeps all digits', async () => {
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const post = async (id: number, method: string, params: string, session = {}) => {
      const body = `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`;
      return fetch(new URL('/mcp', api.url), { method: 'POST', headers: { ...headers, ...session }, body });
    };
    const opened = await post(0, 'initialize', JSON.stringify(initializeParams));
    const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
    const result = `{"content":[],"structuredContent":{"id":${large},"2":1.0},"_meta":{"n":1E+2}}`;
    const params = `{"name":"s__echo","arguments":{"result":${JSON.stringify(result)}},"task":{"ttl":60000}}`;
    const created = await (await post(1, 'tools/call', params, session)).text();
    const taskId = /"taskId":"([^"]+)"/.exec(created)?.[1];
    const ended = await (await post(2, 'tasks/result', `{"taskId":"${taskId}"}`, session)).text();
    expect(ended).toContain(`"structuredContent":{"id":${large},"2":1.0}`);
    expect(ended).toContain('"n":1E+2');
  });

  test('a call through call_tool keeps its arguments as they were written', async () => {
    const text = await callMcp('search', 'call_tool', `{"name":"s__echo","arguments":${args}}`);
    expect(text).toContain(`\\"arguments\\":${JSON.stringify(args).slice(1, -1)}`);
    const asText = await callMcp('search', 'call_tool', `{"name":"s__echo","arguments":${JSON.stringify(args)}}`);
    expect(asText).toContain(`\\"arguments\\":${JSON.stringify(args).slice(1, -1)}`);
  });

  test('an A2A message keeps all digits and the order of its members, and its result too', async () => {
    const result = `{"content":[],"structuredContent":{"id":${large},"one":1.0,"2":0}}`;
    const send = async (data: string) => {
      const message = `{"kind":"message","messageId":"m${Math.random()}","role":"user","parts":[{"kind":"data","data":${data}}]}`;
      const body = `{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":${message}}}`;
      const headers = { 'content-type': 'application/json' };
      return (await fetch(new URL('/a2a', api.url), { method: 'POST', headers, body })).text();
    };
    expect(await send(`{"tool":"mcp_s_echo","arguments":{"n":${large},"f":1.0,"2":0}}`)).toContain(
      `\\"arguments\\":{\\"n\\":${large},\\"f\\":1.0,\\"2\\":0}`,
    );
    expect(await send(`{"tool":"mcp_s_echo","arguments":{"result":${JSON.stringify(result)}}}`)).toContain(
      `{"id":${large},"one":1.0,"2":0}`,
    );
    expect(await send('{"tool":"mcp_s_echo","arguments":{"a":1,"a":2}}')).toContain('occurs twice');
    expect(await send('{"tool":"mcp_s_echo"}}]}},"params":{"message":{"parts":[{"data":{}')).toContain('occurs twice');
  });

  test('an A2A message of version 1.0 keeps all digits and the order of its members, and its result too', async () => {
    const send = async (data: string) => {
      const message = `{"messageId":"m${Math.random()}","role":"ROLE_USER","parts":[{"data":${data}}]}`;
      const body = `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":${message}}}`;
      const headers = { 'content-type': 'application/json', 'a2a-version': '1.0' };
      return (await fetch(new URL('/a2a', api.url), { method: 'POST', headers, body })).text();
    };
    const sent = await send(`{"tool":"mcp_s_echo","arguments":{"n":${large},"f":1.0,"2":0}}`);
    expect(sent).toContain(`\\"arguments\\":{\\"n\\":${large},\\"f\\":1.0,\\"2\\":0}`);
    const result = `{"content":[],"structuredContent":{"id":${large},"one":1.0,"2":0}}`;
    const received = await send(`{"tool":"mcp_s_echo","arguments":{"result":${JSON.stringify(result)}}}`);
    expect(received).toContain(`{"id":${large},"one":1.0,"2":0}`);
    expect(await send('{"tool":"mcp_s_echo","arguments":{"a":1,"\\u0061":2}}')).toContain('occurs twice');
  });

  test('a conversation keeps all digits of the calls of its model and of their results, in every turn and in its exports', async () => {
    await using assistant = await addScriptedAssistant(api, [], { toolApproval: 'auto', serverIds: ['s'] });
    const result = `{"content":[],"structuredContent":{"id":${large},"one":1.0}}`;
    const sent = `{"result":${JSON.stringify(result)},"2":-0,"n":${large},"a":1.0}`;
    assistant.model.push({ calls: [{ name: 'mcp_s_echo', args: sent }] }, { text: 'one' }, { text: 'two' });
    const { path } = await assistant.begin();
    for (const text of ['first', 'second']) {
      await api.post(`${path}/messages`, { text });
      await answerIn(api, path);
      const messages = JSON.stringify(assistant.model.requests.at(-1)?.messages);
      expect(messages).toContain(JSON.stringify(`{"id":${large},"one":1.0}`).slice(1, -1));
      expect(messages).toContain(`\\"n\\":${large},\\"a\\":1.0`);
    }
    for (const shown of ['', '/export?format=json', '/export?format=markdown']) {
      const { text } = await send('GET', `${path}${shown}`);
      expect(text.replaceAll(/\s/g, '')).toContain(`"n":${large},"a":1.0`);
      expect(text.replaceAll(/\s/g, '')).toContain(`{"id":${large},"one":1.0}`);
    }
  });

  test('an HTTP API gets all digits in its URL and its body, and its tools have the exact bounds of its document', async () => {
    const id = `{"type":"integer","format":"int64","maximum":9223372036854775807,"default":${large}}`;
    const parameters = `[{"name":"id","in":"path","required":true,"schema":${id}},{"name":"q","in":"query","schema":${id}}]`;
    const content = `{"application/json":{"schema":{"type":"object","properties":{"n":{"$ref":"#/components/schemas/Id"}}}}}`;
    const operation = `{"operationId":"put","parameters":${parameters},"requestBody":{"content":${content}},"responses":{}}`;
    const document = parseExactly(
      `{"openapi":"3.1.0","info":{"title":"t","version":"1"},"paths":{"/things/{id}":{"put":${operation}}},"components":{"schemas":{"Id":${id}}}}`,
    );
    await using http = await serveHttpApi({ document });
    await using toolbox = await openToolbox({ servers: { a: { url: http.url, openapi: `${http.url}/openapi.json` } } });
    const args = `{"id":${large},"q":9007199254740995,"body":{"n":-${large}}}`;
    const { text } = await toolbox.call('mcp_a_put', parseExactly(args));
    expect(text).toContain(`/things/${large}?q=9007199254740995`);
    expect(http.requests.at(-1)?.body).toBe(`{"n":-${large}}`);
    const refused = await toolbox.call('mcp_a_put', parseExactly('{"id":9223372036854775808}'));
    expect(refused.text).toContain('expected a number <= 9223372036854775807, got number 9223372036854775808');
  });

  test('a tool call of a model keeps its arguments as they were written', async () => {
    await using toolbox = await openToolbox({ servers: { s: fixture('exact') } });
    const [output] = await runOpenAIToolCalls(toolbox, [
      { id: 'c', function: { name: 'mcp_s_echo', arguments: args } },
    ]);
    expect(output?.content).toContain(`"arguments":${args}`);
    const result = `{"content":[],"structuredContent":{"id":${large}}}`;
    const call = { id: 'd', function: { name: 'mcp_s_echo', arguments: JSON.stringify({ result }) } };
    expect((await runOpenAIToolCalls(toolbox, [call]))[0]?.content).toBe(`{"id":${large}}`);
  });
});
