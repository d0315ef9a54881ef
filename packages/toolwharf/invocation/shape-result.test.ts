import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../contract/json.ts';
import type { CallRecord } from './call-record.ts';
import { failureResult, recordedResult, shapeResult, textOf } from './shape-result.ts';

const record: CallRecord = {
  id: 'call-1',
  tool: 'mcp_s_echo',
  originalName: 'echo',
  caller: { id: 'program', kind: 'program' },
  arguments: {},
  definitionHash: 'h',
  status: 'success',
  createdAt: '2026-11-01T00:00:00.000Z',
};
const shape = (raw: JsonObject, maxResultBytes = 10_000) => shapeResult(raw, { callId: 'call-1', maxResultBytes });

describe('a small result', () => {
  test('a small result passes unchanged, including unknown blocks and fields', () => {
    const raw = {
      content: [
        { type: 'text', text: 'hello', annotations: { audience: ['user'] } },
        { type: 'image', data: 'AAAA', mimeType: 'image/png' },
        { type: 'hologram', beams: 3 },
      ],
      structuredContent: { a: 1 },
      _meta: { trace: 'x' },
      future: true,
    };
    const { result, whole } = shape(raw);
    expect(result.raw).toBe(raw);
    expect(result.content).toEqual(raw.content);
    expect(result.content[0]).toBe(raw.content[0]);
    expect(result).toMatchObject({
      isError: false,
      callId: 'call-1',
      structuredContent: { a: 1 },
      _meta: { trace: 'x' },
    });
    expect(result.text).toBe('hello\n[image, image/png, 3 bytes]\n[hologram]');
    expect(whole).toBeUndefined();
  });

  test('a small result that reports a failure has an error text and its original content [A7]', () => {
    const content = [{ type: 'text', text: 'no such file' }];
    const { result } = shape({ content, isError: true });
    expect(result).toMatchObject({ isError: true, text: 'MCP error: no such file', content });
    expect(result.failure).toBeUndefined();
    expect(shape({ content: [], isError: true }).result.text).toBe('MCP error: the tool failed and gave no reason');
    expect(shape({ content: [{ type: 'text', text: 'MCP error: x' }], isError: true }).result.text).toBe(
      'MCP error: x',
    );
    expect(shape({ content, isError: 'yes' }).result.isError).toBe(false);
  });
});

describe('a malformed result', () => {
  test('a malformed result is read as far as possible', () => {
    expect(shape({}).result).toMatchObject({ isError: false, content: [], text: '' });
    expect(shape({ structuredContent: { a: 1 } }).result.text).toBe('{"a":1}');
    expect(shape({ toolResult: [1, 2] }).result.text).toBe('[1,2]');
    expect(shape({ content: 'just text' }).result.content).toEqual([{ type: 'text', text: 'just text' }]);
    expect(shape({ content: { a: 1 } }).result.text).toBe('{"a":1}');
    expect(shape({ content: ['a', { b: 1 }, null, { type: 'text' }, { type: 'text', text: 5 }] }).result.text).toBe(
      'a\n{"b":1}\nnull\n\n5',
    );
    expect(shape({ content: null, _meta: 'x' }).result).toMatchObject({ content: [] });
  });
});

describe('a result above the size limit', () => {
  test('a result above the size limit has its text truncated between characters, states the truncation and is stored completely', () => {
    const raw = { content: [{ type: 'text', text: '€'.repeat(1000), annotations: { priority: 1 } }] };
    const { result, whole } = shape(raw, 1000);
    expect(whole).toBe(raw);
    expect(result.raw).toBeUndefined();
    expect(result.text).toBe(
      `${'€'.repeat(333)}\n[cut by Toolwharf: 999 of 3000 bytes shown; the whole result is kept under call call-1]`,
    );
    expect(result.content[0]).toMatchObject({ type: 'text', annotations: { priority: 1 } });
  });

  test('a result above the size limit has a field with the shown and total sizes, also when it is read from the journal', () => {
    const raw = { content: [{ type: 'text', text: 'x'.repeat(3000) }], structuredContent: { n: 1 } };
    const { result } = shape(raw, 1000);
    const { content, structuredContent, isError, truncated } = result;
    expect(truncated?.totalBytes).toBeGreaterThan(3000);
    expect(truncated?.totalBytes).toBeLessThan(3100);
    expect(truncated?.shownBytes).toBeGreaterThan(1000);
    expect(truncated?.shownBytes).toBeLessThan(1500);
    const recorded = recordedResult({ ...record, result: { content, structuredContent, isError }, truncated });
    expect(recorded).toEqual(result);
    expect(shape(raw, 10_000).result).not.toHaveProperty('truncated');
  });

  test('a result above the size limit retains the blocks before the truncation and counts the others', () => {
    const content = Array.from({ length: 50 }, (_, at) => ({ type: 'text', text: `${at}`.padEnd(100, '.') }));
    const { result } = shape({ content }, 1000);
    expect(result.content.slice(0, 7)).toEqual(content.slice(0, 7));
    expect(result.text).toMatch(/\[cut by Toolwharf: 4\d more blocks are left out; the whole result is kept/);
    expect(Buffer.byteLength(result.text)).toBeLessThan(1400);
  });

  test('a result above the size limit replaces a binary block by its description and shows the blocks after it', () => {
    const image = { type: 'image', mimeType: 'image/png', data: 'A'.repeat(400_000) };
    const blob = {
      type: 'resource',
      resource: { uri: 'file:///a.bin', blob: 'A'.repeat(8000), mimeType: 'application/x' },
    };
    const { result } = shape({ content: [image, { type: 'text', text: 'a caption' }, blob] }, 1000);
    expect(result.content).toHaveLength(3);
    expect(result.text).toBe(
      [
        '[image, image/png, 300000 bytes: left out by Toolwharf, too big; the whole result is kept under call call-1]',
        'a caption',
        '[resource, file:///a.bin, application/x, 6000 bytes: left out by Toolwharf, too big; the whole result is kept under call call-1]',
      ].join('\n'),
    );
  });

  test('a result above the size limit truncates the text of an embedded resource inside it', () => {
    const block = { type: 'resource', resource: { uri: 'file:///log', text: 'x'.repeat(5000) } };
    const { result } = shape({ content: [block] }, 1000);
    expect(result.content[0]).toMatchObject({ type: 'resource', resource: { uri: 'file:///log' } });
    expect(result.text).toContain('[cut by Toolwharf: 1000 of 5000 bytes shown;');
  });

  test('a result above the size limit omits structuredContent only if it alone exceeds the limit, and states the omission', () => {
    const rows = { rows: Array.from({ length: 500 }, (_, at) => ({ at })) };
    const dropped = shape({ content: [{ type: 'text', text: 'ok' }], structuredContent: rows }, 1000);
    expect(dropped.result.structuredContent).toBeUndefined();
    expect(dropped.result.text).toContain(
      'ok\n[cut by Toolwharf: structuredContent is left out, it is larger than 1000 bytes',
    );
    expect(dropped.whole).toBeDefined();
    const small = { n: 1 };
    const cut = shape({ content: [{ type: 'text', text: 'x'.repeat(5000) }], structuredContent: small }, 1000);
    expect(cut.result.structuredContent).toBe(small);
    const only = shape({ structuredContent: rows }, 1000);
    expect(only.result.content).toHaveLength(1);
  });

  test('a result above the size limit has at most the maximum size, text and structuredContent together', () => {
    const structuredContent = { rows: 'y'.repeat(8_000) };
    const { result } = shape({ content: [{ type: 'text', text: 'x'.repeat(8_000) }], structuredContent });
    expect(JSON.stringify([result.content, result.structuredContent]).length).toBeLessThan(10_500);
    const smaller = shape({
      content: [{ type: 'text', text: 'x'.repeat(8_000) }],
      structuredContent: { rows: 'y'.repeat(6_000) },
    });
    expect(smaller.result.structuredContent).toBeDefined();
    expect(JSON.stringify(smaller.result.content).length + 6_000).toBeLessThan(10_500);
  });

  test('a result above the size limit remains an error if it is one [A7]', () => {
    const { result } = shape({ isError: true, content: [{ type: 'text', text: 'x'.repeat(5000) }] }, 1000);
    expect(result.isError).toBe(true);
    expect(result.text).toMatch(/^MCP error: x{1000}\n\[cut/);
  });

  test('a result above the size limit cannot exceed the limit with extra fields beside a text', () => {
    const { result } = shape({ content: [{ type: 'text', text: 'x', _meta: { y: 'y'.repeat(50_000) } }] }, 1000);
    expect(JSON.stringify(result).length).toBeLessThan(1000);
  });

  test('a result above the size limit may be nested to any depth', () => {
    let deep: Record<string, unknown> = {};
    for (let depth = 0; depth < 100_000; depth++) deep = { deep };
    const { result } = shape({ content: [deep, { type: 'x', deep }], structuredContent: deep });
    expect(result.text).toContain('nested too deeply');
    expect(JSON.stringify(result).length).toBeLessThan(1000);
  });
});

test('any server response becomes a well-formed and bounded result', () => {
  const block = fc.oneof(
    fc.record({ type: fc.constant('text'), text: fc.string({ maxLength: 300, unit: 'binary' }) }),
    fc.record({ type: fc.constant('image'), data: fc.string({ maxLength: 300 }), mimeType: fc.constant('image/png') }),
    fc.jsonValue({ maxDepth: 3 }),
  );
  const raw = fc.record(
    {
      content: fc.oneof(fc.array(block, { maxLength: 20 }), fc.jsonValue({ maxDepth: 2 })),
      structuredContent: fc.jsonValue({ maxDepth: 3 }),
      isError: fc.oneof(fc.boolean(), fc.constant(undefined)),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(raw, fc.integer({ min: 100, max: 2000 }), (given, cap) => {
      const { result, whole } = shape(given, cap);
      expect(result.content.every((item) => typeof item.type === 'string')).toBe(true);
      expect(result.isError).toBe(given.isError === true);
      if (whole) {
        expect(whole).toBe(given);
        // Half as much again, plus JSON escapes and the truncation statements.
        expect(JSON.stringify(result.content).length).toBeLessThan(cap * 1.5 * 6 + 10_000);
      } else expect(result.raw).toBe(given);
    }),
  );
});

test('the text of a result joins all blocks and describes blocks without text', () => {
  expect(
    textOf([
      { type: 'text', text: 'a' },
      { type: 'audio', data: 'AAAAAAAA', mimeType: 'audio/wav' },
      { type: 'resource_link', uri: 'file:///x', name: 'x' },
      { type: 'resource', resource: { uri: 'file:///y', text: 'inside' } },
    ]),
  ).toBe('a\n[audio, audio/wav, 6 bytes]\n[resource_link, x, file:///x]\ninside');
  expect(textOf([])).toBe('');
});

test('a failed call becomes a result that a model can read [A7]', () => {
  expect(failureResult('call-1', 'CALL_DENIED', 'denied by policy', { tool: 'x' })).toEqual({
    isError: true,
    content: [{ type: 'text', text: 'MCP error: denied by policy' }],
    text: 'MCP error: denied by policy',
    failure: { code: 'CALL_DENIED', message: 'denied by policy', data: { tool: 'x' } },
    callId: 'call-1',
  });
  expect(failureResult('call-1', 'CALL_DENIED', 'no', {}).failure).toEqual({ code: 'CALL_DENIED', message: 'no' });
});
