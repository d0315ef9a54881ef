import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../packages/contract/json.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { fixture } from '../support/fixtures.ts';
import { connectMcp, type McpClient, usualAnswers } from '../support/mcp-client.ts';
import { commandOf, descendantsOf } from '../support/processes.ts';
import { waitFor } from '../support/wait-for.ts';

const config = {
  servers: { notes: fixture('legacy'), other: fixture('legacy'), 'odd-name': fixture('legacy') },
  profiles: {
    scripts: { expose: 'code', servers: ['notes', 'odd-name'], deny: ['notes/add'], alwaysList: ['notes/structured'] },
    asking: { expose: 'code', approval: { mode: 'always-ask' } },
  },
} as const;

let api: TestApi;
beforeAll(async () => {
  api = await startApi(config, { env: { PATH: process.env.PATH } });
});
afterAll(() => api.close());

interface ScriptContent {
  readonly result?: unknown;
  readonly log?: string;
  readonly calls: { readonly made: number; readonly failed: number };
}

function scripter({ client }: McpClient) {
  return async (code: string, more: JsonObject = {}) => {
    const { isError, content, structuredContent } = await client.callTool({
      name: 'run_code',
      arguments: { code, ...more },
    });
    return { isError, text: JSON.stringify(content), ...(structuredContent as ScriptContent) };
  };
}

describe.each(['legacy', 'modern'] as const)('a %s client of a profile that exposes tools by code', (era) => {
  let client: McpClient;
  let run: ReturnType<typeof scripter>;
  beforeAll(async () => {
    client = await connectMcp(`${api.url}/mcp/scripts`, era, { answers: usualAnswers });
    run = scripter(client);
  });
  afterAll(() => client[Symbol.asyncDispose]());

  test('lists the tools for scripts and the tools that are always listed', async () => {
    const { tools } = await client.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'run_code',
      'search_tools',
      'describe_tools',
      'read_result',
      'notes__structured',
    ]);
  });

  test('finds and describes tools under the names that scripts use', async () => {
    const found = await client.client.callTool({ name: 'search_tools', arguments: { query: 'echo the text' } });
    expect(found.structuredContent).toMatchObject({
      tools: expect.arrayContaining([expect.objectContaining({ name: 'tools.notes.echo' })]),
    });
    const names = ['tools.notes.echo', 'tools["odd-name"].echo', 'tools.notes.add'];
    const described = await client.client.callTool({ name: 'describe_tools', arguments: { names } });
    const text = JSON.stringify(described.content);
    expect(text).toContain('declare const tools: {');
    expect(text).toContain('echo(args: {');
    expect(text).toContain('odd-name\\": {');
    expect(text).toContain('Unknown tool: tools.notes.add');
  });

  test('runs TypeScript and returns the value of the last expression and the log', async () => {
    const code = [
      'interface Reply { readonly text: string }',
      "const replies: string[] = await Promise.all(['a', 'b'].map((text) => tools.notes.echo({ text })));",
      'console.log("replies", replies.length);',
      'replies.map((reply: string) => reply.toUpperCase())',
    ].join('\n');
    const ended = await run(code);
    expect(ended).toMatchObject({ log: 'replies 2\n', calls: { made: 2, failed: 0 } });
    expect(JSON.stringify(ended.result)).toMatch(/A.*B/);
  });

  test('a call of a script is a call of its own in the journal, with the script as its parent', async () => {
    await run(`await tools.notes.echo({ text: 'child of ${era}' })`);
    const { calls } = (await api.get('/api/calls?limit=20')).body;
    const child = calls.find(({ arguments: args }: JsonObject) => JSON.stringify(args).includes(`"child of ${era}"`));
    const parent = calls.find(({ id }: JsonObject) => id === child.parent.id);
    expect(child).toMatchObject({ server: 'notes', originalName: 'echo', step: { number: 1 } });
    expect(parent).toMatchObject({ tool: 'run_code', status: 'success' });
  });

  test('a script gets structured results as objects, and uses search and describe', async () => {
    expect((await run('(await tools.notes.structured({ city: "Oslo" }))')).result).toBeTypeOf('object');
    const ended = await run('const found = await search("echo"); [found[0].name, await describe(found[0].name)]');
    expect(JSON.stringify(ended.result)).toMatch(/tools\..*declare const tools/);
  });

  test('a search of a script is in the journal, with the script as its parent and the answer that the script got', async () => {
    const query = `echo for ${era}`;
    const { result } = await run(`await search(${JSON.stringify(query)}, { limit: 1 })`);
    const { calls } = (await api.get('/api/calls?limit=2')).body;
    const [child, parent] = [calls.find(({ kind }: JsonObject) => kind), calls.find(({ kind }: JsonObject) => !kind)];
    expect(parent).toMatchObject({ tool: 'run_code', status: 'success' });
    expect(child).toMatchObject({ kind: 'search', tool: 'search_tools', parent: { kind: 'call', id: parent.id } });
    expect(child.arguments).toMatchObject({ query, limit: 1 });
    expect((await api.get(`/api/calls/${child.id}`)).body.result.structuredContent).toEqual({ tools: result });
  });

  test('a client that searches for scripts is in the journal, with the names that scripts use', async () => {
    await client.client.callTool({
      name: 'describe_tools',
      arguments: { names: ['tools.notes.echo', 'tools.notes.add'] },
    });
    const [recorded] = (await api.get('/api/calls?limit=1')).body.calls;
    expect(recorded).toMatchObject({ kind: 'search', tool: 'describe_tools', status: 'success' });
    expect(recorded.parent).toBeUndefined();
    const { result } = (await api.get(`/api/calls/${recorded.id}`)).body;
    expect(result.structuredContent).toEqual({ tools: ['tools.notes.echo'] });
  });

  test('names with other characters can be written with an underscore', async () => {
    expect((await run('await tools.odd_name.echo({ text: "odd" })')).text).toContain('odd');
  });

  test('a script cannot call, find or describe tools that the profile hides', async () => {
    for (const path of ['tools.notes.add', 'tools.other.echo', 'tools.local.run_code', 'tools.__proto__.echo']) {
      const ended = await run(`try { await ${path}({ a: 1, b: 2 }) } catch (error) { [error.code, error.message] }`);
      expect(ended.result).toEqual(['TOOL_NAME_INVALID', expect.stringContaining('Unknown tool')]);
    }
    expect(JSON.stringify((await run('await search("add numbers", { limit: 50 })')).result)).not.toContain('notes.add');
  });

  test('an error names the line, and a wrong argument says what the schema requires', async () => {
    const thrown = await run('const a = 1;\n\nundefined.x');
    expect(thrown.isError).toBe(true);
    expect(thrown.text).toContain('line 3');
    const wrong = await run('const a = 1;\nawait tools.notes.echo({ text: 5 })');
    expect(wrong.isError).toBe(true);
    expect(wrong.text).toMatch(/text.*string/);
    expect(wrong.text).toContain('line 2');
    expect((await run('let x: = 4')).text).toContain('line 1');
  });

  test('the questions of a server reach the client', async () => {
    expect((await run('await tools.notes.ask({ question: "ready?" })')).text).toContain('re: ');
  });

  test('a script that runs out of time is stopped', async () => {
    const ended = await run(
      'await new Promise((resolve) => tools.notes.sleep({ ms: 600_000 }).then(resolve, resolve))',
      {
        timeoutMs: 1_000,
      },
    );
    expect(ended.isError).toBe(true);
    expect(ended.text).toContain('did not finish within 1000 ms');
  });
});

describe('approval', () => {
  const pending = async () => (await api.get('/api/approvals?status=pending')).body.approvals;
  const answer = (id: string, given: JsonObject) => api.post(`/api/approvals/${id}/answer`, given);

  test('a script waits for the approval of each call without a process, and goes on from there', async () => {
    await using client = await connectMcp(`${api.url}/mcp/asking`, 'modern');
    const code = [
      'const started = [Date.now(), Math.random()];',
      'const first = await tools.notes.echo({ text: "first" });',
      'const others = await Promise.allSettled([tools.notes.echo({ text: "second" }), tools.other.echo({ text: "third" })]);',
      '({ started, again: [Math.random()], first, others: others.map(({ status, reason }) => reason?.code ?? status) })',
    ].join('\n');
    const ended = scripter(client)(code);
    const first = await waitFor(async () =>
      (await pending()).find(({ arguments: args }: JsonObject) => (args as JsonObject).text === 'first'),
    );
    await answer(first.id, { answer: 'allow' });
    const both = await waitFor(async () => {
      const open = await pending();
      return open.length === 2 ? open : undefined;
    });
    for (const { id, server } of both) await answer(id, { answer: server === 'notes' ? 'allow' : 'deny' });
    const { result, calls } = await ended;
    expect(result).toMatchObject({ first: expect.stringContaining('first'), others: ['fulfilled', 'CALL_DENIED'] });
    expect(calls).toEqual({ made: 3, failed: 1 });
    const recorded = (await api.get('/api/calls?limit=50')).body.calls;
    for (const text of ['first', 'second', 'third'])
      expect(recorded.filter(({ arguments: args }: JsonObject) => (args as JsonObject).text === text)).toHaveLength(1);
  });

  /** Runs a script with three calls that await approval at the same time. */
  async function askForThree(client: McpClient, name: string) {
    const code = `(await Promise.allSettled(['1', '2', '3'].map((n) => tools.notes.echo({ text: '${name} ' + n })))).map(({ value, reason }) => value ?? reason.code)`;
    const ended = scripter(client)(code);
    const open = await waitFor(async () => {
      const found = (await pending()).filter(({ arguments: args }: JsonObject) =>
        String((args as JsonObject).text).startsWith(name),
      );
      return found.length === 3 ? found : undefined;
    });
    const ids: string[] = open
      .toSorted((one: JsonObject, other: JsonObject) =>
        JSON.stringify(one.arguments) < JSON.stringify(other.arguments) ? -1 : 1,
      )
      .map(({ id }: JsonObject) => id);
    return { ended, open, ids };
  }

  test('the calls of a script are answered as one list: one is edited, one is denied, one is allowed', async () => {
    await using client = await connectMcp(`${api.url}/mcp/asking`, 'modern');
    const { ended, open, ids } = await askForThree(client, 'listed');
    const scripts = new Set(open.map(({ script }: JsonObject) => (script as JsonObject).call));
    expect(scripts.size).toBe(1);
    expect((await api.get(`/api/calls/${[...scripts][0]}`)).body).toMatchObject({ tool: 'run_code' });
    const [first, second, third] = ids;
    const answers = [
      { approval: first, answer: { answer: 'allow', arguments: { text: 'edited' } } },
      { approval: second, answer: { answer: 'deny', reason: 'not this one' } },
      { approval: third, answer: { answer: 'allow' } },
    ];
    const given = await api.post('/api/approvals/answers', { answers });
    expect(given.status).toBe(200);
    expect((await ended).result).toEqual(['edited', 'CALL_DENIED', 'listed 3']);
    const acts = (await api.get('/api/calls?kind=administration&limit=20')).body.calls;
    expect(
      acts.filter(({ arguments: args }: JsonObject) => ids.includes(String((args as JsonObject).approval))),
    ).toHaveLength(3);
    // An answer that was given counts.
    const again = await api.post('/api/approvals/answers', {
      answers: [{ approval: second, answer: { answer: 'allow' } }],
    });
    expect(again.body.approvals).toMatchObject([{ status: 'denied' }]);
  });

  test('if one answer of a list is invalid, none is given', async () => {
    await using client = await connectMcp(`${api.url}/mcp/asking`, 'modern');
    const { ended, ids } = await askForThree(client, 'checked');
    const post = (answers: readonly JsonObject[]) => api.post('/api/approvals/answers', { answers });
    const allow = ids.map((approval) => ({ approval, answer: { answer: 'allow' } }));
    const invalid = { approval: ids[2], answer: { answer: 'allow', arguments: { text: 5 } } };
    expect((await post([...allow.slice(0, 2), invalid])).status).toBe(400);
    expect((await post([...allow, { approval: 'unknown', answer: { answer: 'allow' } }])).status).toBe(404);
    const key = await api.key(['call']);
    const foreign = await api.post('/api/approvals/answers', { answers: allow }, { key });
    expect(foreign.status).toBe(404);
    expect((await pending()).filter(({ id }: JsonObject) => ids.includes(String(id)))).toHaveLength(3);
    await post(ids.map((approval) => ({ approval, answer: { answer: 'deny' } })));
    expect((await ended).result).toEqual(['CALL_DENIED', 'CALL_DENIED', 'CALL_DENIED']);
  });

  test('scripts that wait for approval have no process', async () => {
    await using client = await connectMcp(`${api.url}/mcp/asking`, 'modern');
    const texts = ['one', 'two', 'three'];
    const ended = texts.map((text) => scripter(client)(`await tools.notes.echo({ text: '${text}' })`));
    const open = await waitFor(async () => {
      const found = await pending();
      return found.length === 3 ? found : undefined;
    });
    // One process is started in advance for the next script.
    await waitFor(() => sandboxes().length <= 1, { what: 'the end of the processes' });
    for (const { id } of open) await answer(id, { answer: 'allow' });
    expect((await Promise.all(ended)).map(({ result }) => result)).toEqual(texts);
  });
});

/** The processes that run scripts or wait for one. */
function sandboxes(): number[] {
  return descendantsOf(process.pid).filter((pid) => commandOf(pid).includes('sandbox-main'));
}
