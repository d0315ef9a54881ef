import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const catalog = fileURLToPath(new URL('pseudo-catalog.mjs', import.meta.url));

/** The code under which the app built by `buildWithPseudoLanguage` has its second language: `Intl` writes it in other letters. */
export const pseudoLanguage = 'el';

/** Builds the app into a directory, with a second language made from the English catalog. */
export async function buildWithPseudoLanguage(outDir: string): Promise<void> {
  await build({
    root: fileURLToPath(new URL('../../../web', import.meta.url)),
    logLevel: 'error',
    build: { outDir, emptyOutDir: true },
    plugins: [
      {
        name: 'pseudo-language',
        enforce: 'pre',
        // The catalog gets a copy of the English one: it must not import anything of the chunk that waits for it.
        resolveId: (source, importer) =>
          importer === catalog && source.endsWith('/en.ts') ? `${resolve(dirname(catalog), source)}?copy` : undefined,
        load(id) {
          if (!id.endsWith('/text/translations.ts')) return undefined;
          return `export const translations = { ${pseudoLanguage}: () => import(${JSON.stringify(catalog)}) };`;
        },
      },
    ],
  });
}
