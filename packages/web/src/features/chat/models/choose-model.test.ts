import { expect, test } from 'vitest';
import { chooseModel } from './choose-model.ts';

const list = (...ids: string[]) => ids.map((id) => ({ id }));

test('a new assistant gets the newest model of the family that the provider is known for', () => {
  const openai = list('text-embedding-3-large', 'gpt-4.1', 'gpt-10', 'gpt-9', 'gpt-9-mini', 'whisper-1', 'gpt-image-1');
  expect(chooseModel('openai', openai)).toBe('gpt-10');
  expect(chooseModel('anthropic', list('claude-opus-4-1', 'claude-sonnet-4-5', 'claude-sonnet-4-0'))).toBe(
    'claude-sonnet-4-5',
  );
  expect(chooseModel('google', list('gemini-2.5-pro', 'gemini-2.5-flash', 'gemini-2.5-flash-image', 'imagen-4'))).toBe(
    'gemini-2.5-flash',
  );
});

test('a provider of another kind gives its first model for answers, and none gives none', () => {
  expect(chooseModel('openai-compatible', list('nomic-embed-text', 'qwen3:8b', 'llama3'))).toBe('qwen3:8b');
  expect(chooseModel('openai-compatible', list('nomic-embed-text'))).toBeUndefined();
  expect(chooseModel('openai', list('o9'))).toBe('o9');
});
