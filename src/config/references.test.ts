import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLog, type LogEntry } from '../kernel/log.ts';
import { parseReference, resolveEnv, resolveReference } from './references.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'toolwharf-references-'));
});
afterAll(() => rm(directory, { recursive: true }));

describe('references', () => {
  test('a value that is exactly ${VAR} becomes the variable [B2]', () => {
    expect(resolveReference('${TOKEN}', { TOKEN: 'secret123' })).toBe('secret123');
  });

  test.each(['prefix_${TOKEN}', '${TOKEN}_suffix', '${A}${B}', '$TOKEN', '{TOKEN}', '${}', '', '${A:-x}_${B}'])(
    '%j stays as it is [B2]',
    (value) => {
      expect(resolveReference(value, { TOKEN: 'x', A: 'x', B: 'x' })).toBe(value);
    },
  );

  test('a default is used for a variable that is missing or empty [B2]', () => {
    expect(resolveReference('${A:-fallback}', {})).toBe('fallback');
    expect(resolveReference('${A:-fallback}', { A: '' })).toBe('fallback');
    expect(resolveReference('${A:-fallback}', { A: 'set' })).toBe('set');
    expect(resolveReference('${A:-}', {})).toBe('');
    expect(resolveReference('${A:-{"b":1}}', {})).toBe('{"b":1}');
  });

  test('names of inherited properties are not variables', () => {
    expect(resolveReference('${constructor}', {})).toBe('');
    expect(resolveReference('${__proto__}', {})).toBe('');
  });

  test('a missing variable gives an empty value and a warning with its name, never a value [B2]', () => {
    const entries: LogEntry[] = [];
    const resolved = resolveEnv(
      { STATIC: 'literal_value', MISSING: '${UNDEFINED_VAR}', EMPTY: '${EMPTY_VAR}', OK: '${SET_VAR}' },
      { env: { SET_VAR: 'very-secret', EMPTY_VAR: '' }, log: createLog((entry) => entries.push(entry)) },
    );
    expect(resolved).toEqual({ STATIC: 'literal_value', MISSING: '', EMPTY: '', OK: 'very-secret' });
    expect(entries).toHaveLength(1);
    expect(entries[0]).toMatchObject({ level: 'warning', event: 'config.variable-missing' });
    expect(entries[0]?.message).toContain('UNDEFINED_VAR');
    expect(JSON.stringify(entries)).not.toMatch(/very-secret|literal_value/);
  });

  test('without options the environment of the process is used', () => {
    const name = 'TOOLWHARF_TEST_REFERENCE';
    process.env[name] = 'from the process';
    try {
      expect(resolveEnv({ A: `\${${name}}` })).toEqual({ A: 'from the process' });
    } finally {
      delete process.env[name];
    }
  });

  test('${file:…} reads a secret from a file, without its last line break [B2]', async () => {
    const file = join(directory, 'token');
    await writeFile(file, 'line one\nline two\n\n');
    expect(resolveReference(`\${file:${file}}`, {})).toBe('line one\nline two\n');
  });

  test('a file that is missing is an error that names the path [B2]', () => {
    const file = join(directory, 'nowhere');
    expect(() => resolveReference(`\${file:${file}}`, {})).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(file) }),
    );
  });

  test.each(['/dev/zero', tmpdir()])('%s is no file to read a secret from', (path) => {
    expect(() => resolveReference(`\${file:${path}}`, {})).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(path) }),
    );
  });

  test('a key named __proto__ is an ordinary key', () => {
    const record = JSON.parse('{"__proto__": "${A}"}') as Record<string, string>;
    const resolved = resolveEnv(record, { env: { A: 'x' } });
    expect(Object.entries(resolved)).toEqual([['__proto__', 'x']]);
  });

  test('a reference says what it refers to', () => {
    expect(parseReference('${A}')).toEqual({ kind: 'variable', name: 'A' });
    expect(parseReference('${A:-b}')).toEqual({ kind: 'variable', name: 'A', fallback: 'b' });
    expect(parseReference('${file:/run/secrets/a}')).toEqual({ kind: 'file', path: '/run/secrets/a' });
    expect(parseReference('text')).toBeUndefined();
  });
});
