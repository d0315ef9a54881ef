import { afterAll, beforeAll, expect, test } from 'vitest';
import { libraryFiles, readPackages } from './support/imports.ts';
import { type ProgramHost, startProgramHost } from './support/program-host.ts';
import { compileCache } from './support/run-cli.ts';
import { createWorkspace, type Workspace } from './support/workspace.ts';

/*
 * The `@example` of a doc comment is a whole program. It runs against the built package and real servers, and prints
 * the output in its comments: `console.log(…); // output`, or lines `// output` alone, unless these end with a colon.
 */
const sources = new Map([...readPackages()].filter(([file]) => !file.endsWith('.test.ts')));
const examples = [...libraryFiles(sources), 'packages/toolwharf/toolbox-types.ts'].flatMap((file) => examplesIn(file));
let host: ProgramHost;
let workspace: Workspace;

beforeAll(async () => {
  host = startProgramHost(compileCache);
  workspace = await createWorkspace(host);
});
afterAll(async () => {
  await workspace?.[Symbol.asyncDispose]();
  await host?.[Symbol.asyncDispose]();
});

test('the main exports have an example', () => {
  const names = [
    ...['createToolbox', 'start', 'call', 'localTool', 'loadConfig', 'parseConfig', 'createLog', 'resolveEnv'],
    ...['toOpenAITools', 'toOpenAIResponsesTools', 'toAnthropicTools', 'toGeminiTools', 'toAiSdkTools'],
    ...['toLangChainTools', 'toFlatTools', 'formatToolsForProvider', 'createBridge', 'createBridgeClient'],
  ];
  expect(names.filter((name) => !examples.some((example) => example.name === name))).toEqual([]);
});

test.each(examples)('the example of $name prints the documented output', async ({ code }) => {
  expect(await workspace.run(code)).toBe(expectedOutput(code));
});

test('all examples compile against the published types', async () => {
  const blocks = examples.map(({ name, code }) => ({ place: name, language: 'ts', words: [], text: code }));
  expect(await workspace.compile(blocks)).toBe('');
});

function examplesIn(file: string): { readonly name: string; readonly code: string }[] {
  const comments = (sources.get(file) ?? '').matchAll(
    /\/\*\*((?:(?!\*\/)[\s\S])*@example(?:(?!\*\/)[\s\S])*)\*\/\s*(?:export (?:async )?(?:function|const|interface) )?(?:readonly )?(\w+)/g,
  );
  return [...comments].map(([, comment = '', name = '']) => {
    const text = comment.replaceAll(/^ *\* ?/gm, '');
    const code = /@example\n```ts\n([\s\S]*?)\n```/.exec(text)?.[1];
    if (code === undefined) throw new Error(`The example of ${name} in ${file} is not a block of TypeScript`);
    return { name, code };
  });
}

function expectedOutput(code: string): string {
  const outputs = code.matchAll(/^(?:.*console\.log\(.*\); )?\/\/ (.+)$/gm);
  return [...outputs]
    .map(([, output = '']) => output)
    .filter((output) => !output.endsWith(':'))
    .join('\n');
}
