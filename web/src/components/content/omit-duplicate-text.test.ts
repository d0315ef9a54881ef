import { expect, test } from 'vitest';
import { omitDuplicateText } from './omit-duplicate-text.ts';

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
