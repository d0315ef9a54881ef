import { build } from 'vite';
import { expect, test } from 'vitest';

/** The code and the imports of a module that is bundled for browsers. */
async function bundle(entry: string) {
  const result = await build({
    configFile: false,
    logLevel: 'silent',
    build: {
      write: false,
      minify: false,
      lib: { entry, formats: ['es'] },
      rolldownOptions: { external: [/^node:/, /^@langchain\//] },
    },
  });
  const { output } = Array.isArray(result) && result[0] ? result[0] : (result as never);
  const chunks = output.filter((file) => file.type === 'chunk');
  return { code: chunks.map(({ code }) => code).join('\n'), imports: chunks.flatMap(({ imports }) => imports) };
}

test.each(['provider', 'openai', 'anthropic', 'gemini', 'flat', 'ai-sdk', 'langchain'])(
  'the bridge %s can be bundled for browsers: it needs nothing of Node',
  async (bridge) => {
    const { code, imports } = await bundle(`packages/toolwharf/bridges/${bridge}.ts`);
    expect(imports.filter((id) => !id.startsWith('@langchain/'))).toEqual([]);
    expect(code).not.toMatch(/\bnode:|\bBuffer\.|\bprocess\./);
  },
);

test('the check of bundles finds modules of Node', async () => {
  const { imports } = await bundle('packages/toolwharf/kernel/find-package.ts');
  expect(imports).toContain('node:fs');
});
