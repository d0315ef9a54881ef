import { expect, test } from 'vitest';
import { chooseLanguage } from './language.ts';

test('the first language of the browser that the app has is chosen, also from another region', () => {
  expect(chooseLanguage(['de-AT', 'en-GB'], ['en', 'de'])).toBe('de');
  expect(chooseLanguage(['fr', 'pt-BR', 'en'], ['en', 'pt', 'pt-BR'])).toBe('pt-BR');
});

test('English is the language of every browser whose languages the app does not have', () => {
  expect(chooseLanguage(['fr-FR', 'it'], ['en', 'de'])).toBe('en');
  expect(chooseLanguage([], ['en', 'de'])).toBe('en');
});
