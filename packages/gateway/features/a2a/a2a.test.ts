import { AgentCard, type Part } from '@a2a-js/sdk';
import { describe, expect, test } from 'vitest';
import { data, textOf, words } from '../../../../test/support/a2a.ts';
import type { ContentBlock, ToolResult } from '../../../toolwharf/kernel/tool.ts';
import {
  type A2aTool,
  explainSkill,
  explainSkills,
  readA2aMessage,
  toA2aParts,
  toAgentCard,
  toAgentSkill,
} from './a2a.ts';

const add: A2aTool = {
  name: 'math__add',
  title: 'Add',
  description: 'Adds two numbers.\nBoth must be whole.',
  parameters: { type: 'object', properties: { a: { type: 'integer' }, b: { type: 'integer' } }, required: ['a', 'b'] },
  server: 'math',
};

const read = (parts: Part[], metadata?: Record<string, unknown>) => readA2aMessage({ parts, metadata });

describe('toAgentSkill', () => {
  test('toAgentSkill returns a skill with the name of the tool as id, its server as a tag and its schema in the description [B11]', () => {
    expect(toAgentSkill(add)).toEqual({
      id: 'math__add',
      name: 'Add',
      description: `Adds two numbers.\nBoth must be whole.\n\nArguments as JSON Schema: ${JSON.stringify(add.parameters)}`,
      tags: ['tool', 'math'],
      examples: [],
      inputModes: ['application/json', 'text/plain'],
      outputModes: [],
      securityRequirements: [],
    });
  });

  test('toAgentSkill accepts a tool without title, description and server', () => {
    const skill = toAgentSkill({ name: 'now', description: '', parameters: { type: 'object' }, outputSchema: {} });
    expect(skill).toMatchObject({ name: 'now', tags: ['tool'], outputModes: ['application/json', 'text/plain'] });
    expect(skill.description).toMatch(/^now\n/);
  });

  test('the description of a skill with a long schema explains how to request the schema', () => {
    const parameters = { type: 'object', description: 'x'.repeat(5_000) };
    const { description } = toAgentSkill({ ...add, parameters });
    expect(description.length).toBeLessThan(500);
    expect(description).toContain('To get it, send a message');
    expect(explainSkill({ ...add, parameters })[1]?.content).toMatchObject({ value: { inputSchema: parameters } });
  });
});

test('the agent card lists both protocol versions at one URL, and requires a key if callers must authenticate [B11]', () => {
  const options = { profile: 'default', version: '1.2.3', url: 'https://tools.example/a2a', tools: [add] };
  const open = AgentCard.toJSON(toAgentCard({ ...options, needsKey: false })) as Record<string, unknown>;
  expect(open).toMatchObject({ name: 'Toolwharf', version: '1.2.3', skills: [{ id: 'math__add' }] });
  expect(open.securityRequirements).toBeUndefined();
  const guarded = toAgentCard({ ...options, profile: 'work', needsKey: true });
  expect(guarded).toMatchObject({ name: 'Toolwharf work', securityRequirements: [{ schemes: { key: { list: [] } } }] });
  expect(guarded.supportedInterfaces.map(({ url, protocolVersion }) => [url, protocolVersion])).toEqual([
    ['https://tools.example/a2a', '1.0'],
    ['https://tools.example/a2a', '0.3'],
  ]);
});

describe('readA2aMessage', () => {
  const call = { kind: 'call', tool: 'math__add', arguments: { a: 1 } };

  test.each(['tool', 'skill', 'skillId'])('a message names the tool by %s in its data, metadata or text', (member) => {
    const named = { [member]: 'math__add' };
    expect(read([data({ ...named, arguments: { a: 1 } })])).toEqual(call);
    expect(read([words('please'), data({ ...named, arguments: { a: 1 } })])).toEqual(call);
    expect(read([words(JSON.stringify({ ...named, arguments: { a: 1 } }))])).toEqual(call);
    expect(read([data({ a: 1 })], named)).toEqual(call);
    expect(read([words('{"a": 1}')], named)).toEqual(call);
  });

  test('a message may omit the arguments', () => {
    expect(read([data({ tool: 'now' })])).toEqual({ kind: 'call', tool: 'now', arguments: {} });
    expect(read([], { tool: 'now' })).toEqual({ kind: 'call', tool: 'now', arguments: {} });
  });

  test('invalid arguments are passed on, so that the call reports them', () => {
    expect(read([data({ tool: 'now', arguments: [1] })])).toMatchObject({ kind: 'call', arguments: [1] });
    expect(read([data(7)], { tool: 'now' })).toMatchObject({ kind: 'call', arguments: 7 });
  });

  test('a message with an argument named tool is read by its metadata', () => {
    expect(read([data({ tool: 'hammer' })], { skill: 'buy' })).toEqual({
      kind: 'call',
      tool: 'buy',
      arguments: { tool: 'hammer' },
    });
  });

  test('a message of one word requests the description of a skill', () => {
    expect(read([words(' math__add\n')])).toEqual({ kind: 'describe', tool: 'math__add' });
  });

  test.each([
    ['names no tool', [words('Add two numbers, please')], undefined],
    ['names no tool', [], undefined],
    ['more than one data part', [data({ tool: 'a' }), data({ tool: 'b' })], undefined],
    ['not an object', [data([1])], undefined],
    ["no member 'tool'", [data({ arguments: {} })], undefined],
    ["no member 'tool'", [data(JSON.parse('{"__proto__": {"tool": "x"}}'))], undefined],
    ["'args' is neither", [data({ tool: 'a', args: {} })], undefined],
    ['not a JSON object', [words('two and three')], { tool: 'a' }],
  ])('an unclear message is answered with the reason: %s', (why, parts, metadata) => {
    expect(read(parts, metadata)).toEqual({ kind: 'unclear', reason: expect.stringContaining(why) });
  });

  test('an unclear message is answered with instructions and the list of skills', () => {
    expect(textOf({ parts: explainSkills([add], 'it names no tool') })).toMatch(
      /^This message is not a call: it names no tool\. .*one data part.*\nSkills:\n- math__add: Adds two numbers\.$/s,
    );
    expect(textOf({ parts: explainSkills([], 'why') })).toContain('There are no skills at the moment.');
    const many = Array.from({ length: 130 }, (_, index) => ({ ...add, name: `t${index}` }));
    expect(textOf({ parts: explainSkills(many, 'why') })).toContain('and 30 more');
  });
});

describe('toA2aParts', () => {
  const partsOf = (content: readonly ContentBlock[], structuredContent?: unknown) => {
    const result: ToolResult = { isError: false, content, text: '', callId: '1', structuredContent };
    return toA2aParts(result).map(({ content: held, mediaType, filename, metadata }) => ({
      ...held,
      mediaType,
      ...(filename && { filename }),
      ...(metadata && { metadata }),
    }));
  };
  const bytes = Buffer.from('picture');
  const base64 = bytes.toString('base64');

  test('text stays text, and structured content becomes data', () => {
    expect(partsOf([{ type: 'text', text: 'Sunny' }], { sky: 'clear' })).toEqual([
      { $case: 'text', value: 'Sunny', mediaType: 'text/plain' },
      { $case: 'data', value: { sky: 'clear' }, mediaType: 'application/json' },
    ]);
  });

  test('images, audio and resources become files', () => {
    const blocks = [
      { type: 'image', data: base64, mimeType: 'image/png' },
      { type: 'audio', data: base64, mimeType: 'audio/wav' },
      { type: 'resource', resource: { uri: 'file:///a.bin', blob: base64 } },
      { type: 'resource', resource: { uri: 'file:///a.md', mimeType: 'text/markdown', text: '# A' } },
      { type: 'resource_link', uri: 'https://example.com/a.pdf', name: 'a.pdf', mimeType: 'application/pdf' },
    ];
    expect(partsOf(blocks)).toEqual([
      { $case: 'raw', value: bytes, mediaType: 'image/png' },
      { $case: 'raw', value: bytes, mediaType: 'audio/wav' },
      { $case: 'raw', value: bytes, mediaType: 'application/octet-stream', metadata: { uri: 'file:///a.bin' } },
      { $case: 'text', value: '# A', mediaType: 'text/markdown', metadata: { uri: 'file:///a.md' } },
      { $case: 'url', value: 'https://example.com/a.pdf', mediaType: 'application/pdf', filename: 'a.pdf' },
    ]);
  });

  test('unknown and malformed blocks become data, and a result is never empty', () => {
    const strange = [{ type: 'hologram', depth: 3 }, { type: 'image' }, { type: 'resource', resource: { uri: 'x:y' } }];
    expect(partsOf(strange)).toEqual(strange.map((value) => ({ $case: 'data', value, mediaType: 'application/json' })));
    expect(partsOf([])).toEqual([{ $case: 'text', value: '[no content]', mediaType: 'text/plain' }]);
  });
});
