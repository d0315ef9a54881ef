import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, isStepCount, type ToolSet } from 'ai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toAiSdkTools } from '../../packages/toolwharf/bridges/ai-sdk.ts';
import { runAnthropicToolUse, toAnthropicTools } from '../../packages/toolwharf/bridges/anthropic.ts';
import { createScripts } from '../../packages/toolwharf/bridges/code.ts';
import { callFlatTool, toFlatTools } from '../../packages/toolwharf/bridges/flat.ts';
import { runGeminiFunctionCalls, toGeminiTools } from '../../packages/toolwharf/bridges/gemini.ts';
import { toLangChainTools } from '../../packages/toolwharf/bridges/langchain.ts';
import {
  runOpenAIResponsesToolCalls,
  runOpenAIToolCalls,
  toOpenAIResponsesTools,
  toOpenAITools,
} from '../../packages/toolwharf/bridges/openai.ts';
import { createToolbox, localTool, type Toolbox } from '../../packages/toolwharf/index.ts';
import { type Log, silentLog } from '../../packages/toolwharf/kernel/log.ts';
import type { Caller } from '../../packages/toolwharf/kernel/tool.ts';
import type { ApprovalRequest } from '../../packages/toolwharf/policy/approval.ts';
import { createMemoryJournal } from '../../packages/toolwharf/storage/memory/memory-journal.ts';
import { startScriptedChat } from '../fixtures/models/scripted-chat-server.ts';
import { createToolSource } from '../fixtures/models/tool-source.ts';
import { fixture } from '../support/fixtures.ts';
import { openToolbox } from '../support/toolbox.ts';

const config = { servers: { notes: fixture('legacy') } };
const codeTools = ['run_code', 'search_tools', 'describe_tools'];
const code = "(await Promise.all(['a', 'b'].map((text) => tools.notes.echo({ text })))).join()";
const expose = 'code';
const query = 'echo the text';

let toolbox: Toolbox;
beforeAll(async () => {
  toolbox = await openToolbox(config, { scripts: createScripts() });
});
afterAll(() => toolbox.close());

const asText = (value: unknown) => JSON.stringify(value);

describe('a bridge of a toolbox that runs scripts', () => {
  test('OpenAI Chat Completions offers the tools for scripts and runs them', async () => {
    const tools = toOpenAITools(toolbox, { expose, alwaysList: ['notes/echo'] });
    expect(tools.map((tool) => tool.function.name)).toEqual([...codeTools, 'mcp_notes_echo']);
    const call = (name: string, args: object) => ({ id: name, function: { name, arguments: asText(args) } });
    const [found, described, result] = await runOpenAIToolCalls(toolbox, [
      call('search_tools', { query }),
      call('describe_tools', { names: ['tools.notes.echo'] }),
      call('run_code', { code }),
    ]);
    expect(found?.content).toContain('tools.notes.echo');
    expect(described?.content.replaceAll(/\s+/g, ' ')).toContain('echo(args: { text: string; })');
    expect(result?.content).toBe('a,b');
  });

  test('a search through a bridge is recorded for its caller, also if the provider gets references or definitions', async () => {
    const caller: Caller = { id: 'searcher', kind: 'client' };
    const args = { query, limit: 1 };
    const call = { id: 'c', function: { name: 'search_tools', arguments: asText(args) } };
    await runOpenAIToolCalls(toolbox, [call], { caller });
    const use = [{ type: 'tool_use', id: '1', name: 'search_tools', input: args }];
    await runAnthropicToolUse(toolbox, use, { caller, expose: 'search' });
    const output = [{ type: 'tool_search_call', execution: 'client', call_id: '1', arguments: asText(args) }];
    await runOpenAIResponsesToolCalls(toolbox, output, { caller, expose: 'search' });
    const records = await toolbox.calls.list({ caller: caller.id });
    const found = records.map(({ kind, tool, arguments: given, result }) => ({ kind, tool, given, result }));
    const record = (name: string) => ({
      ...{ kind: 'search', tool: 'search_tools', given: args },
      result: { structuredContent: { tools: [name] } },
    });
    expect(found).toMatchObject(['mcp_notes_echo', 'mcp_notes_echo', 'tools.notes.echo'].map(record));
  });

  test('a search that cannot be recorded is refused, as a result', async () => {
    const journal = { ...createMemoryJournal(), write: () => Promise.reject(new Error('disk full')) };
    await using failing = await openToolbox(config, { journal });
    const result = await callFlatTool(failing, 'search_tools', { query }, { expose: 'search' });
    expect(result).toMatchObject({ isError: true, failure: { code: 'JOURNAL_UNAVAILABLE' } });
    expect(result.text).not.toContain('mcp_notes_echo');
  });

  test('the Responses API offers and runs the same tools as functions', async () => {
    const tools = toOpenAIResponsesTools(toolbox, { expose });
    expect(tools).toMatchObject(codeTools.map((name) => ({ type: 'function', name })));
    const output = [
      { type: 'function_call', call_id: '1', name: 'search_tools', arguments: asText({ query }) },
      { type: 'function_call', call_id: '2', name: 'run_code', arguments: asText({ code }) },
    ];
    const [found, result] = await runOpenAIResponsesToolCalls(toolbox, output);
    expect(found?.output).toContain('tools.notes.echo');
    expect(result?.output).toBe('a,b');
  });

  test('Anthropic gets names in scripts instead of references to deferred tools', async () => {
    const tools = toAnthropicTools(toolbox, { expose });
    expect(tools.map(({ name }) => name)).toEqual(codeTools);
    const content = [
      { type: 'tool_use', id: '1', name: 'search_tools', input: { query } },
      { type: 'tool_use', id: '2', name: 'run_code', input: { code } },
    ];
    const reply = await runAnthropicToolUse(toolbox, content);
    expect(asText(reply.content[0])).toContain('tools.notes.echo');
    expect(reply.content[1]?.content).toEqual([{ type: 'text', text: 'a,b' }]);
    // The same toolbox can be listed by search: then the functions that run the calls must know.
    const searched = await runAnthropicToolUse(toolbox, content.slice(0, 1), { expose: 'search' });
    expect(searched.content[0]?.content[0]).toMatchObject({ type: 'tool_reference' });
  });

  test('Gemini, flat lists and LangChain offer and run the tools for scripts', async () => {
    expect(toGeminiTools(toolbox, { expose })[0]?.functionDeclarations.map(({ name }) => name)).toEqual(codeTools);
    const [part] = await runGeminiFunctionCalls(toolbox, [{ name: 'run_code', args: { code } }]);
    expect(part?.functionResponse.response).toEqual({ output: 'a,b' });
    expect(toFlatTools(toolbox, { expose }).map(({ name }) => name)).toEqual(codeTools);
    expect((await callFlatTool(toolbox, 'run_code', { code })).text).toBe('a,b');
    const tools = await toLangChainTools(toolbox, { expose });
    expect(await tools.find(({ name }) => name === 'run_code')?.invoke({ code })).toBe('a,b');
  });

  test('a model of the AI SDK finds a tool and runs a script', async () => {
    await using model = await startScriptedChat([
      { calls: [{ name: 'search_tools', args: { query } }] },
      ({ last }) => {
        const [found] = (JSON.parse(last) as { tools: { name: string }[] }).tools;
        return {
          calls: [{ name: 'run_code', args: { code: `(await ${found?.name}({ text: 'found' })).toUpperCase()` } }],
        };
      },
      ({ last }) => ({ text: `Received: ${last}` }),
    ]);
    const provider = createOpenAICompatible({ name: 'scripted', baseURL: model.url });
    const { text } = await generateText({
      model: provider('scripted'),
      prompt: 'Echo',
      tools: toAiSdkTools(toolbox, { expose }) as unknown as ToolSet,
      stopWhen: isStepCount(3),
    });
    expect(model.requests[0]?.tools).toEqual(codeTools);
    expect(text).toContain('FOUND');
  });
});

test('the calls of a script are children of its call, with the approvals and the caller of the script', async () => {
  const asked: ApprovalRequest[] = [];
  await using asking = await createToolbox(
    { ...config, toolbox: { approval: { mode: 'always-ask' } } },
    {
      scripts: createScripts(),
      approver: {
        async ask(request) {
          asked.push(request);
          return request.arguments.text === 'b' ? { kind: 'deny' } : { kind: 'allow', arguments: { text: 'edited' } };
        },
      },
    },
  );
  const both =
    "(await Promise.allSettled(['a', 'b'].map((text) => tools.notes.echo({ text })))).map(({ value, reason }) => value ?? reason.code)";
  const caller = { id: 'ann', kind: 'person' } as const;
  const call = { id: '1', function: { name: 'run_code', arguments: asText({ code: both }) } };
  const [reply] = await runOpenAIToolCalls(asking, [call], { caller });
  expect(reply?.content).toBe('["edited","CALL_DENIED"]');
  const records = await asking.calls.list();
  const script = records.find(({ tool }) => tool === 'run_code');
  const steps = records.filter(({ parent }) => parent?.id === script?.id);
  expect(steps).toHaveLength(2);
  expect(records.map((record) => record.caller.id)).toEqual(['ann', 'ann', 'ann']);
  expect(asked.map((request) => request.script?.call)).toEqual([script?.id, script?.id]);
});

describe('the output of a tool that declares none', () => {
  async function openRows() {
    let rows: unknown = { rows: [{ id: 1, name: 'first' }], next: null };
    const tool = localTool({
      name: 'rows',
      description: 'Lists rows',
      parameters: { type: 'object' },
      execute: () => rows,
    });
    const warnings: string[] = [];
    const log: Log = {
      ...silentLog,
      warning: (event, message) => void (event === 'tool.output-changed' && warnings.push(message)),
    };
    const opened = await openToolbox({ servers: {} }, { scripts: createScripts(), tools: [tool], log });
    const run = (caller: Caller) => opened.runCode?.({ code: 'await tools.local.rows()' }, { caller });
    const describeRows = async (caller: Caller) => {
      const args = asText({ names: ['tools.local.rows'] });
      const call = { id: '1', function: { name: 'describe_tools', arguments: args } };
      const [reply] = await runOpenAIToolCalls(opened, [call], { caller });
      return reply?.content;
    };
    return {
      run,
      describeRows,
      warnings,
      change: (value: unknown) => {
        rows = value;
      },
      [Symbol.asyncDispose]: () => opened.close(),
    };
  }
  const ann: Caller = { id: 'ann', kind: 'person' };

  test('it is learnt from the results that the same caller got, and marked as observed', async () => {
    await using opened = await openRows();
    expect(await opened.describeRows(ann)).toContain('rows(): Promise<unknown>');
    await opened.run(ann);
    await opened.run(ann);
    const declared = await opened.describeRows(ann);
    expect(declared).toContain('/** The output is observed in 2 results, not declared: check it. */');
    expect(declared?.replaceAll(/\s+/g, ' ')).toContain(
      'Promise<{ rows: ({ id: number; name: string; })[]; next: null; }>',
    );
    expect(declared).not.toContain('first');
    expect(await opened.describeRows({ id: 'bob', kind: 'person' })).toContain('Promise<unknown>');
  });

  test('a result that differs from all before it is reported once', async () => {
    await using opened = await openRows();
    for (let at = 0; at < 3; at++) await opened.run(ann);
    opened.change({ rows: 'none' });
    await opened.run(ann);
    const declared = await opened.describeRows(ann);
    expect(declared).toContain(
      'The latest result differs: result.rows is string instead of array, result.next is missing.',
    );
    await opened.describeRows(ann);
    expect(opened.warnings).toEqual([expect.stringContaining('rows differs from those before')]);
  });
});

test('a source that does not run scripts offers the tools for searching instead', () => {
  const source = createToolSource([{ name: 'mcp_notes_echo' }]);
  const names = toOpenAITools(source, { expose }).map((tool) => tool.function.name);
  expect(names).toEqual(['search_tools', 'describe_tools', 'call_tool']);
});

test('a closed toolbox runs no scripts', async () => {
  const closing = await openToolbox(config, { scripts: createScripts() });
  expect(await closing.runCode?.({ code: '1 + 1' })).toMatchObject({ isError: false, text: '2' });
  await closing.close();
  expect(await closing.runCode?.({ code: '1' })).toMatchObject({ failure: { code: 'TOOLBOX_CLOSED' } });
});
