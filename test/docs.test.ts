import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { errorStatus } from '../packages/contract/errors.ts';
import { parseConfigText } from '../packages/toolwharf/config/load-config.ts';
import { root } from './support/imports.ts';
import { type Block, type Page, readPages, readPagesBelow, rowsOf, toPage } from './support/markdown.ts';
import { type ProgramHost, startProgramHost } from './support/program-host.ts';
import { compileCache } from './support/run-cli.ts';
import { createWorkspace, type Workspace } from './support/workspace.ts';

/*
 * These tests run what a reader can try. In README.md, docs/guide and docs/quickstart (test/recipes.test.ts runs docs/recipes):
 *   ```ts run        a whole program, run against the built package; a ```text output block after it is what it prints
 *   ```console run   commands after "$ " and what they print
 *   ```ts            compiles; `toolbox` is there where a block does not open one
 *   ```yaml, ```json configuration that loads; marked `wrong`, it fails with the message of the ```text error block after it
 *   file=NAME        the block is written to that file before the programs below it run
 *   other            the file of another program, which is not loaded
 *   gateway          `toolwharf serve` runs meanwhile; http://127.0.0.1:7420 stands for its address
 * In an output, a line of three dots stands for any lines.
 */
const pages = readPages();
const taught = pages.filter(({ file }) => file === 'README.md' || /^docs\/(guide|quickstart)\//.test(file));
const recipes = pages.filter(({ file }) => file.startsWith('docs/recipes/'));

describe('every page', () => {
  test('every page links only to existing targets', () => {
    const all = [...pages, ...['examples', 'packages', 'bench', 'deploy', 'test'].flatMap(readPagesBelow)];
    const byFile = new Map(all.map((page) => [page.file, page]));
    const broken = all.flatMap((page) =>
      linksOf(page)
        .filter((link) => !leadsSomewhere(link, page, byFile))
        .map((link) => `${page.file}: ${link}`),
    );
    expect(broken).toEqual([]);
  });

  test('every page is reachable from the README', () => {
    const found = new Set(['README.md']);
    for (const file of found) {
      const page = pages.find((candidate) => candidate.file === file);
      for (const link of page ? linksOf(page) : []) found.add(normalize(join(dirname(file), link.replace(/#.*/, ''))));
    }
    expect(pages.map(({ file }) => file).filter((file) => !found.has(file))).toEqual([]);
  });

  test('every page names only error codes that exist', () => {
    const families = new Set(Object.keys(errorStatus).map((code) => code.split('_')[0]));
    const unknown = pages.flatMap(({ file, text }) =>
      [...text.matchAll(/(?<![\w$])[A-Z]+(?:_[A-Z]+)+(?!\w)/g)]
        .map(([code]) => code)
        .filter((code) => families.has(code.split('_')[0]) && !Object.hasOwn(errorStatus, code))
        .map((code) => `${file}: ${code}`),
    );
    expect(unknown).toEqual([]);
  });
});

describe('docs/errors.md', () => {
  const page = pages.find(({ file }) => file === 'docs/errors.md') as Page;

  test('docs/errors.md has a cause and a remedy for every code', () => {
    const rows = rowsOf(page);
    expect(rows.map(([code]) => code).sort()).toEqual(Object.keys(errorStatus).sort());
    const vague = rows.filter(
      ([, , cause = '', remedy = '']) => !/^[A-Z].{8,}\.$/.test(cause) || !/^[A-Z].{5,}\.$/.test(remedy),
    );
    expect(vague).toEqual([]);
  });
});

describe('docs/guide/compatibility.md', () => {
  const page = pages.find(({ file }) => file === 'docs/guide/compatibility.md') as Page;
  const tests = [...page.text.matchAll(/\[((?:[^[\]]|\[[^[\]]*\])*)\]\(\.\.\/\.\.\/([\w/.-]+\.test\.ts)\)/g)];

  test('docs/guide/compatibility.md names only tests that exist', () => {
    expect(tests.length).toBeGreaterThan(40);
    const unknown = tests.filter(([, title = '', file = '']) => {
      const source = existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : '';
      return !source
        .split('\n')
        .some((line) => /\btest|^\s+['"`]/.test(line) && line.replaceAll("\\'", "'").includes(title));
    });
    expect(unknown.map(([, title, file]) => `${file}: ${title}`)).toEqual([]);
  });

  test('docs/guide/compatibility.md names a test in every row that says yes', () => {
    const rows = page.text.split('\n').filter((line) => /^\|.*\| yes \|/.test(line));
    expect(rows.length).toBeGreaterThan(30);
    expect(rows.filter((line) => !line.includes('.test.ts)'))).toEqual([]);
  });
});

describe('configuration in the documents', () => {
  const reference = pages.filter(({ file }) => file === 'docs/reference/config.md');
  const examples = [...taught, ...recipes, ...reference].flatMap(({ blocks }) =>
    blocks.map((block, index) => ({ block, place: block.place, next: blocks[index + 1] })),
  );
  const isConfig = ({ language, words }: Block) =>
    (language === 'yaml' || language === 'json') && !words.includes('other');
  const configs = examples.filter(({ block }) => isConfig(block));
  const wrong = configs.filter(({ block }) => block.words.includes('wrong'));
  const load = ({ file, language, text }: Block) => parseConfigText(text, file ?? `toolwharf.${language}`, { env: {} });

  test.each(configs.filter((config) => !wrong.includes(config)))('$place loads', ({ block }) => {
    expect(load(block).config.servers).toBeInstanceOf(Array);
  });

  test.each(wrong)('$place fails with the documented message', ({ block, next }) => {
    expect(next?.words).toContain('error');
    expect(() => load(block)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID', message: next?.text }));
  });

  test('every setting that a page names as `gateway.…` or `toolbox.…` exists', () => {
    const schema = JSON.parse(readFileSync(join(root, 'schema/toolwharf.schema.json'), 'utf8')) as SchemaNode;
    const sections = /`((?:gateway|toolbox)(?:\.[A-Za-z]+)+)(?::[^`]*)?`/g;
    // In the library, `toolbox.…` is the object.
    const isSetting = (name: string) =>
      name.startsWith('gateway.') || !(name.split('.')[1] ?? '').match(membersOfToolbox);
    const unknown = [...taught, ...recipes]
      .flatMap(({ file, text }) => [...text.matchAll(sections)].map(([, name = '']) => ({ file, name })))
      .filter(({ name }) => isSetting(name) && !hasSetting(schema, name.split('.'), schema));
    expect(unknown).toEqual([]);
  });

  test('there are examples of both kinds', () => {
    expect(configs.length).toBeGreaterThan(5);
    expect(wrong.length).toBeGreaterThan(0);
  });
});

describe('programs in the documents', () => {
  const programs = taught.flatMap(({ file, blocks }) =>
    blocks.flatMap((block, index) => {
      // test/python.test.ts runs those in Python.
      if (!block.words.includes('run') || block.language === 'python') return [];
      return [{ file, block, place: block.place, before: blocks.slice(0, index), next: blocks[index + 1] }];
    }),
  );
  let host: ProgramHost;
  const workspaces = new Map<string, Workspace>();
  const workspaceOf = async (page: string) => {
    const workspace = workspaces.get(page) ?? (await createWorkspace(host));
    workspaces.set(page, workspace);
    return workspace;
  };
  beforeAll(() => {
    host = startProgramHost(compileCache);
  });
  afterAll(async () => {
    for (const workspace of workspaces.values()) await workspace[Symbol.asyncDispose]();
    await host?.[Symbol.asyncDispose]();
  });

  test.each(programs)('$place prints the documented output', async ({ file, block, before, next }) => {
    const workspace = await workspaceOf(file);
    for (const { file: name, text } of before) if (name !== undefined) await workspace.write(name, text);
    await (block.words.includes('gateway') ? workspace.serve() : workspace.stop());
    if (block.language === 'console') {
      for (const { command, output } of commandsIn(block))
        expect(await workspace.sh(command)).toMatch(asPattern(output));
      return;
    }
    const printed = await workspace.run(block.text);
    if (next?.words.includes('output')) expect(printed).toMatch(asPattern(next.text));
  });

  test('the README shows the three essential lines, and they are among those that run', () => {
    const shown = programs.filter(({ file }) => file === 'README.md').map(({ block }) => block.text);
    const lines = ['const toolbox = await createToolbox(', 'toOpenAITools(toolbox)', 'await toolbox.call('];
    expect(shown.some((text) => lines.every((line) => text.includes(line)))).toBe(true);
  });

  describe('all of them', () => {
    let workspace: Workspace | undefined;
    beforeAll(async () => {
      workspace = await createWorkspace(host);
    });
    afterAll(() => workspace?.[Symbol.asyncDispose]());

    test('all programs in the documents compile against the published types', async () => {
      const sources = [...taught, ...recipes].flatMap(({ blocks }) =>
        // A program that imports a file of its page is run.
        blocks.filter(({ language, text }) => language === 'ts' && !text.includes("from './")),
      );
      expect(sources.length).toBeGreaterThan(10);
      expect(await workspace?.compile(sources)).toEqual('');
    });
  });
});

describe('the checks of documents', () => {
  test('the checks of documents find blocks, their attributes and the headings outside of code', () => {
    const text = ['# A `b` c', '````md', '```ts run', '````', '```yaml file=x.yaml wrong', 'a: 1', '```', '[l](x)'];
    const page = toPage('p.md', text.join('\n'));
    expect(page.blocks).toEqual([
      { place: 'p.md:2', language: 'md', words: [], text: '```ts run' },
      { place: 'p.md:5', language: 'yaml', words: ['file=x.yaml', 'wrong'], file: 'x.yaml', text: 'a: 1' },
    ]);
    expect([...page.anchors]).toEqual(['a-b-c']);
    expect(linksOf(page)).toEqual(['x']);
  });

  test('the checks of documents distinguish a different output from a shortened one', () => {
    expect('a\nb\nc').toMatch(asPattern('a\n...\nc'));
    expect('a\nb').not.toMatch(asPattern('a'));
    expect('a.b').not.toMatch(asPattern('axb'));
  });
});

function commandsIn({ text }: Block): { readonly command: string; readonly output: string }[] {
  const [, ...parts] = `\n${text}`.split(/\n\$ /);
  return parts.map((part) => {
    const [command = '', ...lines] = part.split('\n');
    return { command, output: lines.join('\n').trimEnd() };
  });
}

function asPattern(output: string): RegExp {
  const lines = output.trimEnd().split('\n');
  const pattern = lines
    .map((line) => (line === '...' ? '[^]*' : line.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')))
    .join('\n');
  return new RegExp(`^${pattern}$`);
}

/** The targets of links and images, also of those in HTML. */
function linksOf({ prose }: Page): string[] {
  return [...prose.matchAll(/\]\(([^)\s]+)\)|<(?:a|img)\b[^>]* (?:src|href)="([^"]+)"/g)]
    .map(([, target, inHtml = '']) => target ?? inHtml)
    .filter((target) => !/^[a-z]+:/.test(target));
}

function leadsSomewhere(link: string, page: Page, byFile: ReadonlyMap<string, Page>): boolean {
  const [path = '', anchor] = link.split('#');
  const file = path === '' ? page.file : normalize(join(dirname(page.file), path));
  if (!existsSync(join(root, file))) return false;
  return anchor === undefined || (byFile.get(file)?.anchors.has(anchor) ?? false);
}

interface SchemaNode {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly additionalProperties?: SchemaNode | boolean;
  readonly items?: SchemaNode;
  readonly anyOf?: readonly SchemaNode[];
  readonly oneOf?: readonly SchemaNode[];
  readonly $defs?: Readonly<Record<string, SchemaNode>>;
}

const membersOfToolbox =
  /^(?:accounts|approvals|call|calls|catalog|close|config|embed|loaded|on|plugins|prompts|resources|runCode|servers|setProfiles|skills|start|tool|yaml)$/;

/** Whether a JSON Schema has a property at this path; names of maps may be left out. */
function hasSetting(node: SchemaNode, [key, ...rest]: readonly string[], whole: SchemaNode): boolean {
  if (key === undefined) return true;
  const target = node.$ref === undefined ? node : whole.$defs?.[node.$ref.replace('#/$defs/', '')];
  if (!target) return false;
  const property = target.properties?.[key];
  if (property) return hasSetting(property, rest, whole);
  const { additionalProperties: members } = target;
  const options = [...(target.anyOf ?? []), ...(target.oneOf ?? []), ...(target.items ? [target.items] : [])];
  return (
    options.some((option) => hasSetting(option, [key, ...rest], whole)) ||
    (typeof members === 'object' && (hasSetting(members, rest, whole) || hasSetting(members, [key, ...rest], whole)))
  );
}
