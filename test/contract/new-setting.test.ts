import { execFile } from 'node:child_process';
import { cp, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import type { FormField } from '../../packages/contract/form-fields.ts';
import type { JsonSchema } from '../../packages/contract/json.ts';
import { tempDir } from '../support/fixtures.ts';
import { root } from '../support/imports.ts';

const entry = `
  madeUp: wholeNumber(1, 99).optional().describe('A setting made up by a test.').meta({ default: 7 }),
`;

/** Prints what is derived from the contract. */
const program = `
import { nativeJsonSchema } from './packages/toolwharf/config/native-json-schema.ts';
import { toOpenApi } from './packages/gateway/core/rest/openapi.ts';
import { coreRoutes } from './packages/gateway/core/rest/core-routes.ts';
import { settingFields, toDraft, toInput } from './packages/web/src/pages/servers/server-draft.ts';
import { updateReference } from './scripts/config-reference.ts';
import { readSettings, settingOptions } from './packages/cli/core/program/setting-options.ts';
import { readFileSync } from 'node:fs';
const schema = nativeJsonSchema();
const draft = { ...toDraft({ name: 'a', transport: 'http', url: 'https://a.example/mcp', madeUp: 5 }) };
const typed = { ...draft, settings: { ...draft.settings, madeUp: '8' } };
process.stdout.write(JSON.stringify({
  schema,
  api: toOpenApi(coreRoutes).components.schemas,
  fields: settingFields({ transport: 'http' }),
  stored: toInput(draft).madeUp,
  typed: toInput(typed).madeUp,
  option: settingOptions('server').map(({ flags, description }) => flags + ': ' + description).find((text) => text.includes('made-up')),
  fromOption: readSettings('server', { madeUp: '9' }),
  page: updateReference(readFileSync('docs/reference/config.md', 'utf8'), schema),
}));
`;

interface Derived {
  readonly schema: JsonSchema;
  readonly api: Readonly<Record<string, { readonly properties: JsonSchema }>>;
  readonly fields: readonly FormField[];
  readonly stored: unknown;
  readonly typed: unknown;
  readonly option: string;
  readonly fromOption: unknown;
  readonly page: string;
}

/** What a copy of the sources derives from a contract with one more setting of servers. */
async function deriveWithSetting(): Promise<Derived> {
  await using copy = await tempDir();
  for (const folder of [
    'packages/contract',
    'packages/toolwharf',
    'packages/gateway',
    'packages/cli',
    'packages/web/src',
    'scripts',
    'docs/reference',
  ])
    await cp(join(root, folder), copy.file(folder), {
      recursive: true,
      filter: (path) => !/[\\/](?:node_modules|dist)$|\.test\.tsx?$/.test(path),
    });
  await cp(join(root, 'package.json'), copy.file('package.json'));
  await symlink(join(root, 'node_modules'), copy.file('node_modules'), 'junction');
  const schemas = copy.file('packages/contract/settings/server-schema.ts');
  const source = await readFile(schemas, 'utf8');
  const changed = source.replace('const commonShape = {', (start) => start + entry);
  expect(changed).not.toBe(source);
  await writeFile(schemas, changed);
  await writeFile(copy.file('derive.ts'), program);
  const { stdout } = await promisify(execFile)(process.execPath, ['derive.ts'], {
    cwd: copy.path,
    maxBuffer: 64 * 1024 * 1024,
  });
  return JSON.parse(stdout);
}

test('a new setting of servers in the contract alone is in the schema of the file, the API, the form, the command line and the reference', async () => {
  const { schema, api, fields, stored, typed, page, ...commandLine } = await deriveWithSetting();
  const property = {
    type: 'integer',
    minimum: 1,
    maximum: 99,
    default: 7,
    description: 'A setting made up by a test.',
  };
  expect(JSON.stringify(schema)).toContain('"madeUp":');
  for (const name of ['ServerInput', 'ServerRecord']) expect(api[name]?.properties.madeUp).toMatchObject(property);
  expect(fields.find(({ key }) => key === 'madeUp')).toEqual({
    ...{ key: 'madeUp', label: 'Made up', kind: 'number', default: 7 },
    ...{ help: property.description, description: property.description },
  });
  expect([stored, typed]).toEqual([5, 8]);
  expect(commandLine).toEqual({
    option: '--made-up <number>: A setting made up by a test (default: 7)',
    fromOption: { madeUp: 9 },
  });
  expect(page).toContain('| `servers.NAME.madeUp` | whole number, 1 to 99 | `7` | A setting made up by a test. |');
});
