import { expect, test } from 'vitest';
import type { ContentBlock, ToolResult } from '../../../toolwharf/kernel/tool.ts';
import { toStoredResult } from './stored-result.ts';

const result = (content: ContentBlock[], fields: Partial<ToolResult> = {}): ToolResult => ({
  isError: false,
  content,
  text: '',
  callId: 'c',
  ...fields,
});
const text = (length: number) => ({ type: 'text', text: 'é'.repeat(length / 2) });
const image = (bytes: number) => ({ type: 'image', mimeType: 'image/png', data: 'A'.repeat(bytes) });

test('a small result is stored unchanged', () => {
  const content = [text(100), image(1_000), { type: 'hologram', odd: true }];
  expect(toStoredResult(result(content, { structuredContent: { a: 1 } }))).toEqual({
    isError: false,
    content,
    structuredContent: { a: 1 },
  });
});

test('a failure is stored with its code', () => {
  const failure = { code: 'CALL_DENIED', message: 'no' } as const;
  expect(toStoredResult(result([], { isError: true, failure }))).toMatchObject({
    isError: true,
    errorCode: 'CALL_DENIED',
  });
});

test('a result that was already truncated is marked as truncated', () => {
  const truncated = { shownBytes: 10, totalBytes: 20 };
  expect(toStoredResult({ isError: false, content: [], text: '', callId: 'c', truncated }).cut).toBe(true);
});

test('text beyond the limit is truncated at a character boundary and marked as truncated', () => {
  const stored = toStoredResult(
    result([text(50_000), text(50_000), text(10)], { structuredContent: { big: 'x'.repeat(99) } }),
  );
  expect(stored.cut).toBe(true);
  expect(stored).not.toHaveProperty('structuredContent');
  const texts = stored.content.map((block) => String(block.text));
  expect(texts).toHaveLength(2);
  expect(Buffer.byteLength(texts.join(''))).toBeLessThanOrEqual(64 * 1024);
  expect(texts.join('')).toMatch(/^é+$/);
});

test('media is stored up to one megabyte in total, and larger media is replaced by a note', () => {
  const resource = { type: 'resource', resource: { uri: 'a:b', blob: 'A'.repeat(600_000) } };
  const stored = toStoredResult(result([image(600_000), resource, image(10)]));
  expect(stored.cut).toBe(true);
  expect(stored.content).toEqual([
    image(600_000),
    { type: 'text', text: '[resource: too large to store here]' },
    image(10),
  ]);
});
