import { expect, test } from 'vitest';
import type { ContentBlock, ToolResult } from '../kernel/tool.ts';
import { keepResult } from './keep-result.ts';

const result = (content: ContentBlock[], fields: Partial<ToolResult> = {}): ToolResult => ({
  isError: false,
  content,
  text: '',
  callId: 'c',
  ...fields,
});
const text = (length: number) => ({ type: 'text', text: 'é'.repeat(length / 2) });
const image = (bytes: number) => ({ type: 'image', mimeType: 'image/png', data: 'A'.repeat(bytes) });

test('a small result is kept as it is', () => {
  const content = [text(100), image(1_000), { type: 'hologram', odd: true }];
  expect(keepResult(result(content, { structuredContent: { a: 1 } }))).toEqual({
    isError: false,
    content,
    structuredContent: { a: 1 },
  });
});

test('a failure is kept with its code', () => {
  const failure = { code: 'CALL_DENIED', message: 'no' };
  expect(keepResult(result([], { isError: true, failure }))).toMatchObject({ isError: true, errorCode: 'CALL_DENIED' });
});

test('a result that was truncated before is marked as cut', () => {
  const truncated = { shownBytes: 10, totalBytes: 20 };
  expect(keepResult({ isError: false, content: [], text: '', callId: 'c', truncated }).cut).toBe(true);
});

test('more text than is shown is cut between characters, and says so', () => {
  const kept = keepResult(
    result([text(50_000), text(50_000), text(10)], { structuredContent: { big: 'x'.repeat(99) } }),
  );
  expect(kept.cut).toBe(true);
  expect(kept).not.toHaveProperty('structuredContent');
  const texts = kept.content.map((block) => String(block.text));
  expect(texts).toHaveLength(2);
  expect(Buffer.byteLength(texts.join(''))).toBeLessThanOrEqual(64 * 1024);
  expect(texts.join('')).toMatch(/^é+$/);
});

test('pictures are kept up to a megabyte in all, the rest is named', () => {
  const resource = { type: 'resource', resource: { uri: 'a:b', blob: 'A'.repeat(600_000) } };
  const kept = keepResult(result([image(600_000), resource, image(10)]));
  expect(kept.cut).toBe(true);
  expect(kept.content).toEqual([
    image(600_000),
    { type: 'text', text: '[resource: too large to be kept here]' },
    image(10),
  ]);
});
