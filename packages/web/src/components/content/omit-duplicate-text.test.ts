import { expect, test } from 'vitest';
import { omitDuplicateText, repeatsText } from './omit-duplicate-text.ts';

const text = (value: string) => ({ type: 'text', text: value });

test('text that repeats the structured content is left out, whatever its order and white space', () => {
  const note = text('Two items');
  const structuredContent = { items: [{ id: 1, name: 'a' }], total: 2 };
  const copy = text('{ "total": 2, "items": [{ "name": "a", "id": 1 }] }');
  expect(omitDuplicateText({ content: [note, copy], structuredContent })).toEqual([note]);
});

test('text that repeats the only member of the structured content is left out', () => {
  const structuredContent = { entities: [{ name: 'Ada' }] };
  expect(omitDuplicateText({ content: [text('[{"name": "Ada"}]')], structuredContent })).toEqual([]);
  const two = { ...structuredContent, total: 1 };
  expect(omitDuplicateText({ content: [text('[{"name": "Ada"}]')], structuredContent: two })).toHaveLength(1);
});

test('text that differs from the structured content stays', () => {
  const content = [text('{"total": 3}'), text('not JSON'), { type: 'image', data: '' }];
  expect(omitDuplicateText({ content, structuredContent: { total: 2 } })).toEqual(content);
  expect(omitDuplicateText({ content })).toEqual(content);
});

test('structured content that only wraps the text repeats it', () => {
  const content = [text('Allowed directories:\n/files')];
  expect(repeatsText({ content, structuredContent: { content: 'Allowed directories:\n/files' } })).toBe(true);
  expect(repeatsText({ content, structuredContent: { content: 'Allowed directories' } })).toBe(false);
  expect(repeatsText({ content, structuredContent: { content: content[0]?.text, total: 1 } })).toBe(false);
  expect(repeatsText({ content })).toBe(false);
});
