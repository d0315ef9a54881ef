// Writes schema/toolwharf.schema.json from the Zod schemas. `--check` only reports whether it is up to date.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { nativeJsonSchema } from '../src/config/native-json-schema.ts';

const file = new URL('../schema/toolwharf.schema.json', import.meta.url);
const wanted = `${JSON.stringify(nativeJsonSchema(), null, 2)}\n`;

if (process.argv.includes('--check')) {
  const current = await readFile(file, 'utf8').catch(() => '');
  if (current !== wanted) {
    console.error('schema/toolwharf.schema.json is out of date: run npm run schema');
    process.exitCode = 1;
  }
} else {
  await mkdir(new URL('.', file), { recursive: true });
  await writeFile(file, wanted);
}
