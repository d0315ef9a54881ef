// Writes schema/toolwharf.schema.json, and what docs/reference/config.md and docs/reference/cli.md derive from the Zod schemas.
// `--check` only reports whether they are up to date.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { nativeJsonSchema } from '../packages/toolwharf/config/native-json-schema.ts';
import { updateReference } from './config-reference.ts';
import { updateOptions } from './option-reference.ts';

const schema = nativeJsonSchema();
const page = new URL('../docs/reference/config.md', import.meta.url);
const commands = new URL('../docs/reference/cli.md', import.meta.url);
const wanted = new Map([
  [new URL('../schema/toolwharf.schema.json', import.meta.url), `${JSON.stringify(schema, null, 2)}\n`],
  [page, updateReference(await readFile(page, 'utf8'), schema)],
  [commands, updateOptions(await readFile(commands, 'utf8'))],
]);

for (const [file, text] of wanted) {
  const current = await readFile(file, 'utf8').catch(() => '');
  if (current === text) continue;
  if (process.argv.includes('--check')) {
    console.error(`${file.pathname.split('/').slice(-2).join('/')} is out of date: run npm run schema`);
    process.exitCode = 1;
  } else {
    await mkdir(new URL('.', file), { recursive: true });
    await writeFile(file, text);
  }
}
