import { expect, test } from 'vitest';
import { freeName } from './free-name.ts';

test('a name has only what is plain in every client', () => {
  expect(freeName(' Über Weather_2!', [])).toBe('ber-weather-2');
  expect(freeName('天気', [])).toBe('');
  expect(freeName('x'.repeat(100), [])).toBe('x'.repeat(40));
});

test('a name that is taken gets the first number that is free', () => {
  expect(freeName('weather', ['notes'])).toBe('weather');
  expect(freeName('weather', ['weather', 'weather-2'])).toBe('weather-3');
});
