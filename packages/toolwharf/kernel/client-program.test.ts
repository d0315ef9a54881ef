import { expect, test } from 'vitest';
import { programOfAgent, toClientProgram } from './client-program.ts';

test('the name and version of a client are short texts without control, format and direction characters', () => {
  expect(toClientProgram({ name: 'Cursor', version: '1.2', title: 'x' })).toEqual({ name: 'Cursor', version: '1.2' });
  expect(toClientProgram({ name: ' a\u0000\u001b[31m\u202e\u200bb\n\u2028 ', version: 5 })).toEqual({ name: 'a[31mb' });
  const long = toClientProgram({ name: 'n'.repeat(1_000_000), version: 'v'.repeat(1_000) });
  expect([long?.name.length, long?.version?.length]).toEqual([100, 50]);
  for (const info of [undefined, null, 'x', {}, { name: '' }, { name: '\u0007' }, { name: 5 }, { name: {} }])
    expect(toClientProgram(info)).toBeUndefined();
});

test('a User-Agent names its first product, and a browser is the web app', () => {
  expect(programOfAgent('curl/8.5.0')).toEqual({ name: 'curl', version: '8.5.0' });
  expect(programOfAgent('node')).toEqual({ name: 'node' });
  expect(programOfAgent('python-requests/2.31 (x; y) other/1')).toEqual({ name: 'python-requests', version: '2.31' });
  expect(programOfAgent('Mozilla/5.0 (X11)')).toMatchObject({ name: 'toolwharf-app' });
  for (const agent of [undefined, '', '(none)', '/1']) expect(programOfAgent(agent)).toBeUndefined();
});
