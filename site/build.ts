// `npm run docs:build`: builds the documentation site into dist/docs, or the directory given.
import { dirname, join, resolve } from 'node:path';
import { buildSite } from './build-site.ts';

const outDir = resolve(process.argv[2] ?? join(dirname(import.meta.dirname), 'dist', 'docs'));
try {
  const pages = await buildSite(outDir);
  console.log(`The documentation is in dist/docs: ${pages.length} pages.`);
} catch (cause) {
  console.error(cause instanceof Error ? cause.message : cause);
  process.exitCode = 1;
}
