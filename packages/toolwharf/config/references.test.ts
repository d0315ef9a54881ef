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

describe('a reference', () => {
  test('a reference is replaced by the variable when the value is exactly ${VAR} [B2]', () => {
    expect(resolveReference('${TOKEN}', { TOKEN: 'secret123' })).toBe('secret123');
  });

  test.each(['prefix_${TOKEN}', '${TOKEN}_suffix', '${A}${B}', '$TOKEN', '{TOKEN}', '${}', '', '${A:-x}_${B}'])(
    'a reference is not recognized in %j [B2]',
    (value) => {
      expect(resolveReference(value, { TOKEN: 'x', A: 'x', B: 'x' })).toBe(value);
    },
  );

  test('a reference uses its default for a missing or empty variable [B2]', () => {
    expect(resolveReference('${A:-fallback}', {})).toBe('fallback');
    expect(resolveReference('${A:-fallback}', { A: '' })).toBe('fallback');
    expect(resolveReference('${A:-fallback}', { A: 'set' })).toBe('set');
    expect(resolveReference('${A:-}', {})).toBe('');
    expect(resolveReference('${A:-{"b":1}}', {})).toBe('{"b":1}');
  });

  test('a reference does not resolve names of inherited properties', () => {
    expect(resolveReference('${constructor}', {})).toBe('');
    expect(resolveReference('${__proto__}', {})).toBe('');
  });

  test('a reference to a missing variable resolves to an empty value, with a warning that names only the variable [B2]', () => {
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

  test('a reference uses the environment of the process unless another is passed', () => {
    const name = 'TOOLWHARF_TEST_REFERENCE';
    process.env[name] = 'from the process';
    try {
      expect(resolveEnv({ A: `\${${name}}` })).toEqual({ A: 'from the process' });
    } finally {
      delete process.env[name];
    }
  });

  test('a reference of the form ${file:…} reads a secret from a file, without the last line break [B2]', async () => {
    const file = join(directory, 'token');
    await writeFile(file, 'line one\nline two\n\n');
    expect(resolveReference(`\${file:${file}}`, {})).toBe('line one\nline two\n');
  });

  test('a reference to a missing file is an error that names the path [B2]', () => {
    const file = join(directory, 'nowhere');
    expect(() => resolveReference(`\${file:${file}}`, {})).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(file) }),
    );
  });

  test.each(['/dev/zero', tmpdir()])('a reference cannot read a secret from %s', (path) => {
    expect(() => resolveReference(`\${file:${path}}`, {})).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(path) }),
    );
  });

  test('a reference under a key named __proto__ is resolved like any other', () => {
    const record = JSON.parse('{"__proto__": "${A}"}') as Record<string, string>;
    const resolved = resolveEnv(record, { env: { A: 'x' } });
    expect(Object.entries(resolved)).toEqual([['__proto__', 'x']]);
  });

  test('a reference is parsed into its kind, name and default', () => {
    expect(parseReference('${A}')).toEqual({ kind: 'variable', name: 'A' });
    expect(parseReference('${A:-b}')).toEqual({ kind: 'variable', name: 'A', fallback: 'b' });
    expect(parseReference('${file:/run/secrets/a}')).toEqual({ kind: 'file', path: '/run/secrets/a' });
    expect(parseReference('text')).toBeUndefined();
  });
});
