import { AgentCard, type Part } from '@a2a-js/sdk';
import { describe, expect, test } from 'vitest';
import { data, textOf, words } from '../../test/support/a2a.ts';
import type { ContentBlock, ToolResult } from '../kernel/tool.ts';
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

describe('a tool as a skill', () => {
  test('has its name as id, its server as a tag and its schema in words [B11]', () => {
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

  test('needs neither title, description nor server', () => {
    const skill = toAgentSkill({ name: 'now', description: '', parameters: { type: 'object' }, outputSchema: {} });
    expect(skill).toMatchObject({ name: 'now', tags: ['tool'], outputModes: ['application/json', 'text/plain'] });
    expect(skill.description).toMatch(/^now\n/);
  });

  test('whose schema is too long says how to get it', () => {
    const parameters = { type: 'object', description: 'x'.repeat(5_000) };
    const { description } = toAgentSkill({ ...add, parameters });
    expect(description.length).toBeLessThan(500);
    expect(description).toContain('is answered with it');
    expect(explainSkill({ ...add, parameters })[1]?.content).toMatchObject({ value: { inputSchema: parameters } });
  });
});

test('the card has both versions at one address, and asks for a key where one is needed [B11]', () => {
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

describe('a message', () => {
  const call = { kind: 'call', tool: 'math__add', arguments: { a: 1 } };

  test.each(['tool', 'skill', 'skillId'])('names the tool by %s, in its data, its metadata or its text', (member) => {
    const named = { [member]: 'math__add' };
    expect(read([data({ ...named, arguments: { a: 1 } })])).toEqual(call);
    expect(read([words('please'), data({ ...named, arguments: { a: 1 } })])).toEqual(call);
    expect(read([words(JSON.stringify({ ...named, arguments: { a: 1 } }))])).toEqual(call);
    expect(read([data({ a: 1 })], named)).toEqual(call);
    expect(read([words('{"a": 1}')], named)).toEqual(call);
  });

  test('may leave out arguments', () => {
    expect(read([data({ tool: 'now' })])).toEqual({ kind: 'call', tool: 'now', arguments: {} });
    expect(read([], { tool: 'now' })).toEqual({ kind: 'call', tool: 'now', arguments: {} });
  });

  test('keeps arguments that are wrong, for the call to say so', () => {
    expect(read([data({ tool: 'now', arguments: [1] })])).toMatchObject({ kind: 'call', arguments: [1] });
    expect(read([data(7)], { tool: 'now' })).toMatchObject({ kind: 'call', arguments: 7 });
  });

  test('with arguments named tool is read by its metadata', () => {
    expect(read([data({ tool: 'hammer' })], { skill: 'buy' })).toEqual({
      kind: 'call',
      tool: 'buy',
      arguments: { tool: 'hammer' },
    });
  });

  test('of one word asks how a skill is used', () => {
    expect(read([words(' math__add\n')])).toEqual({ kind: 'describe', tool: 'math__add' });
  });

  test.each([
    ['names no tool', [words('Add two numbers, please')], undefined],
    ['names no tool', [], undefined],
    ['more than one data part', [data({ tool: 'a' }), data({ tool: 'b' })], undefined],
    ['no object', [data([1])], undefined],
    ["no member 'tool'", [data({ arguments: {} })], undefined],
    ["no member 'tool'", [data(JSON.parse('{"__proto__": {"tool": "x"}}'))], undefined],
    ["'args' is neither", [data({ tool: 'a', args: {} })], undefined],
    ['no JSON object', [words('two and three')], { tool: 'a' }],
  ])('that is unclear is told why: %s', (why, parts, metadata) => {
    expect(read(parts, metadata)).toEqual({ kind: 'unclear', reason: expect.stringContaining(why) });
  });

  test('that is unclear is told what to send and which skills there are', () => {
    expect(textOf({ parts: explainSkills([add], 'it names no tool') })).toMatch(
      /^This message is not a call: it names no tool\. .*one data part.*\nSkills:\n- math__add: Adds two numbers\.$/s,
    );
    expect(textOf({ parts: explainSkills([], 'why') })).toContain('There are no skills right now.');
    const many = Array.from({ length: 130 }, (_, index) => ({ ...add, name: `t${index}` }));
    expect(textOf({ parts: explainSkills(many, 'why') })).toContain('and 30 more');
  });
});

describe('a result', () => {
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

  test('keeps text as text, and structured content as data', () => {
    expect(partsOf([{ type: 'text', text: 'Sunny' }], { sky: 'clear' })).toEqual([
      { $case: 'text', value: 'Sunny', mediaType: 'text/plain' },
      { $case: 'data', value: { sky: 'clear' }, mediaType: 'application/json' },
    ]);
  });

  test('has images, audio and resources as files', () => {
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

  test('gives blocks that nobody knows, or that are broken, as data, and is never empty', () => {
    const strange = [{ type: 'hologram', depth: 3 }, { type: 'image' }, { type: 'resource', resource: { uri: 'x:y' } }];
    expect(partsOf(strange)).toEqual(strange.map((value) => ({ $case: 'data', value, mediaType: 'application/json' })));
    expect(partsOf([])).toEqual([{ $case: 'text', value: '[no content]', mediaType: 'text/plain' }]);
  });
});
