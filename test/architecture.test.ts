import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  type Import,
  importsOf,
  libraryEntries,
  packageOf,
  reachedFrom,
  readSources,
  root,
  type Sources,
  withoutComments,
} from './support/imports.ts';
import { readManifest } from './support/installed.ts';

/** Data flows through src from left to right; imports point left only. */
const line = [
  'kernel',
  'config',
  'connections',
  'catalog',
  'policy',
  'invocation',
  'servers',
  'storage',
  'fleet',
  'plugins',
  'toolbox-types.ts',
  'toolbox.ts',
  'index.ts',
  'scale',
  'bridges',
  'chat',
  'gateway',
  'cli',
];

const forbiddenInLibrary = [
  { what: 'a terminal library', packages: /^(commander|picocolors)$/ },
  { what: 'a web server', packages: /^(express|fastify|hono|koa|@hono\/.*|@modelcontextprotocol\/(server|node))$/ },
  { what: 'a database', packages: /^(node:sqlite|better-sqlite3|pg|postgres|redis|ioredis)$/ },
  {
    what: 'a model SDK',
    packages: /^(openai|ai|@ai-sdk\/.*|@anthropic-ai\/.*|@google\/genai|@langchain\/.*|langchain)$/,
  },
];

const network = ['node:net', 'node:tls', 'node:http', 'node:https', 'node:http2', 'node:dgram', 'node:dns', 'undici'];
const processes = ['node:child_process', 'node:cluster', 'node:worker_threads'];
const files = ['node:fs', 'node:sqlite'];
const protocol = ['hono', '@hono/node-server', '@modelcontextprotocol/client', '@modelcontextprotocol/server'];

/** The packages that a room never imports, as in the table of rooms in ARCHITECTURE.md; a package includes its subpaths. */
const neverImported = [
  { room: 'kernel', what: 'the network or a process', packages: [...network, ...processes] },
  // `node:net` is used only to recognize IP addresses.
  { room: 'config', what: 'the network or a process', packages: ['node:http', 'undici', ...processes, ...protocol] },
  { room: 'catalog', what: 'the network', packages: [...network, ...processes, ...protocol] },
  { room: 'policy', what: 'I/O', packages: [...network, ...processes, ...files, ...protocol] },
  { room: 'invocation', what: 'HTTP or the protocol', packages: [...network, ...processes, ...files, ...protocol] },
  { room: 'storage', what: 'HTTP or the protocol', packages: ['node:http', 'node:https', 'undici', ...protocol] },
  { room: 'bridges', what: 'I/O', packages: [...network, ...processes, ...files] },
  // It starts the processes in which scripts run.
  { room: 'scale', what: 'the network or the protocol', packages: [...network, ...protocol] },
];

const maximumLines = 400;
const library = readManifest();
const gateway = readManifest('packages/gateway');
const build = readManifest('packages/build');

const all = readSources('src');
const product: Sources = new Map([...all].filter(([file]) => !file.endsWith('.test.ts')));

describe('the rooms of src', () => {
  test('every file is in a room', () => {
    expect([...all.keys()].filter((file) => !line.includes(roomOf(file)))).toEqual([]);
  });

  test('imports point left only', () => {
    expect(importsToTheRight(product)).toEqual([]);
  });

  test('a bridge imports no other bridge', () => {
    expect(bridgesImportingBridges(product)).toEqual([]);
  });

  test.each(neverImported)('$room imports nothing of $what', ({ room, packages }) => {
    expect(importsOfPackages(product, room, packages)).toEqual([]);
  });

  test('no import leaves src or refers to a test', () => {
    const outside = importsIn(product).filter(({ ours, to }) => ours && !product.has(to));
    expect(outside.map(described)).toEqual([]);
  });

  test('there are no circular imports', () => {
    expect(cycleIn(product)).toBeUndefined();
  });

  test('only src/index.ts re-exports other modules', () => {
    expect(barrelsIn(product)).toEqual([]);
  });
});

describe('the web app', () => {
  test('imports nothing from src', () => {
    const sources = readSources('web/src', ['.ts', '.tsx']);
    const fromSrc = importsIn(sources).filter(({ ours, to }) => ours && to.startsWith('src/'));
    expect(fromSrc.map(described)).toEqual([]);
  });
});

describe('the library entry', () => {
  const reached = reachedFrom('src/index.ts', product);
  const packages = [...new Set(reached.filter(({ ours }) => !ours).map(({ to }) => packageOf(to)))];

  test.each(forbiddenInLibrary)('the library entry does not load $what', ({ packages: forbidden }) => {
    expect(packages.filter((name) => forbidden.test(name))).toEqual([]);
  });

  test('the library entry does not load the command line, the gateway or the chat', () => {
    const rooms = new Set(reached.filter(({ ours }) => ours).map(({ to }) => roomOf(to)));
    expect(['cli', 'gateway', 'chat'].filter((room) => rooms.has(room))).toEqual([]);
  });

  test('the library entry loads the other rooms', () => {
    expect(reached.filter(({ ours }) => ours).length).toBeGreaterThan(20);
  });
});

describe('the published packages', () => {
  const libraryPackages = packagesIn(library.dependencies, library.peerDependencies);
  const published = libraryEntries();

  test('the published packages import in the library only dependencies of the library, including types', () => {
    expect(published).toContain('src/index.ts');
    const reached = published.flatMap((entry) => reachedFrom(entry, product, { types: true }));
    expect(importsBeyond(reached, libraryPackages)).toEqual([]);
  });

  test('the published packages list every package that a room imports', () => {
    const listed = packagesIn(gateway.dependencies, build.dependencies);
    const needed = importsIn(product).filter(({ types }) => !types);
    expect(importsBeyond(needed, new Set([...libraryPackages, ...listed]))).toEqual([]);
  });
});

test('every source file and folder that ARCHITECTURE.md names exists', () => {
  const page = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
  const named = page.split('\n').flatMap((text) => {
    const room = /^\| `([a-z]+\/)` \|/.exec(text)?.[1] ?? '';
    return [...text.matchAll(/`([a-z0-9/-]+(?:\.ts|\/))`/g)].map(([, name = '']) =>
      name === room ? name : room + name,
    );
  });
  const isSource = (name: string) =>
    [...all.keys()].some((file) => file === `src/${name}` || file.endsWith(`/${name}`));
  const exists = (name: string) =>
    [name, `src/${name}`, `web/src/${name}`].some((path) => existsSync(join(root, path)));
  expect(named.length).toBeGreaterThan(100);
  expect(named.filter((name) => !exists(name) && !isSource(name))).toEqual([]);
});

test('no test mocks a module or polls with its own timeout', () => {
  const sources = [all, readSources('test'), readSources('web/src', ['.ts', '.tsx'])].flatMap((found) => [...found]);
  const impatient = /\bvi\.(mock|doMock|waitFor|waitUntil)\(|\.waitForTimeout\(/;
  expect(sources.filter(([, source]) => impatient.test(withoutComments(source))).map(([file]) => file)).toEqual([]);
});

test(`no file is longer than ${maximumLines} lines`, () => {
  const files = [...all, ...readSources('test', ['.ts', '.mjs']), ...readSources('scripts', ['.mjs'])];
  const long = files.filter(([, source]) => source.trimEnd().split('\n').length > maximumLines);
  expect(long.map(([file]) => file)).toEqual([]);
});

test('half of the files of src have fewer than 110 lines, and nine in ten fewer than 250', () => {
  const lengths = [...product.values()].map((source) => source.trimEnd().split('\n').length).sort((a, b) => a - b);
  expect(lengths[Math.floor(lengths.length / 2)]).toBeLessThan(110);
  expect(lengths[Math.floor(lengths.length * 0.9)]).toBeLessThan(250);
});

describe('the architecture checks', () => {
  const check = (files: Record<string, string>): Sources => new Map(Object.entries(files));

  test('the architecture checks find an import that points right, including type imports', () => {
    const sources = check({
      'src/kernel/a.ts': "import type { B } from '../config/b.ts';",
      'src/config/b.ts': "import { a } from '../kernel/a.ts';",
    });
    expect(importsToTheRight(sources)).toEqual(['src/kernel/a.ts imports src/config/b.ts']);
  });

  test('the architecture checks find an import that a room must not have, and allow type imports and other rooms', () => {
    const sources = check({
      'src/policy/a.ts': "import { readFile } from 'node:fs/promises';\nimport type { Server } from 'node:http';",
      'src/cli/b.ts': "import { readFile } from 'node:fs/promises';",
    });
    expect(importsOfPackages(sources, 'policy', [...files, ...network])).toEqual([
      'src/policy/a.ts imports node:fs/promises',
    ]);
  });

  test('the architecture checks find a package of the gateway in a file of the library, including type imports', () => {
    const sources = check({
      'src/index.ts': "export type { A } from './kernel/a.ts';",
      'src/kernel/a.ts': "import type { Pool } from 'pg';\nimport { z } from 'zod';\nexport type A = Pool;",
    });
    const reached = reachedFrom('src/index.ts', sources, { types: true });
    expect(importsBeyond(reached, new Set(['zod']))).toEqual(['src/kernel/a.ts imports pg']);
  });

  test('the architecture checks find a bridge that imports a bridge, and allow shared modules', () => {
    const sources = check({
      'src/bridges/a.ts': "import { b } from './b.ts';\nimport { s } from './shared/s.ts';",
      'src/bridges/shared/s.ts': "import { b } from '../b.ts';",
    });
    expect(bridgesImportingBridges(sources)).toEqual([
      'src/bridges/a.ts imports src/bridges/b.ts',
      'src/bridges/shared/s.ts imports src/bridges/b.ts',
    ]);
  });

  test('the architecture checks find a cycle and a barrel', () => {
    const sources = check({
      'src/kernel/a.ts': "import { b } from './b.ts';\nexport const a = b;",
      'src/kernel/b.ts': "import { a } from './a.ts';\nexport const b = a;",
      'src/kernel/all.ts': "/** Both. */\nexport { a } from './a.ts';\nexport * from './b.ts';\n",
    });
    expect(cycleIn(sources)).toEqual(['src/kernel/a.ts', 'src/kernel/b.ts', 'src/kernel/a.ts']);
    expect(barrelsIn(sources)).toEqual(['src/kernel/all.ts']);
  });
});

function packagesIn(...lists: (Record<string, string> | undefined)[]): Set<string> {
  return new Set(lists.flatMap((list) => Object.keys(list ?? {})));
}

/** The imports of packages that are not in the list. */
function importsBeyond(imports: readonly Import[], listed: ReadonlySet<string>): string[] {
  const beyond = imports.filter(({ ours, to }) => !ours && !to.startsWith('node:') && !listed.has(packageOf(to)));
  return [...new Set(beyond.map(described))];
}

function roomOf(file: string): string {
  return file.split('/')[1] ?? '';
}

function importsIn(sources: Sources): Import[] {
  return [...sources].flatMap(([file, source]) => importsOf(file, source));
}

function described({ from, to }: Import): string {
  return `${from} imports ${to}`;
}

function importsToTheRight(sources: Sources): string[] {
  return importsIn(sources)
    .filter(({ ours, from, to }) => ours && line.indexOf(roomOf(to)) > line.indexOf(roomOf(from)))
    .map(described);
}

function importsOfPackages(sources: Sources, room: string, packages: readonly string[]): string[] {
  return importsIn(sources)
    .filter(({ from, ours, types, to }) => roomOf(from) === room && !ours && !types && packages.includes(packageOf(to)))
    .map(described);
}

function bridgesImportingBridges(sources: Sources): string[] {
  const isBridge = (file: string) => /^src\/bridges\/[^/]+$/.test(file);
  return importsIn(sources)
    .filter(({ from, to }) => roomOf(from) === 'bridges' && isBridge(to))
    .map(described);
}

function cycleIn(sources: Sources): string[] | undefined {
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): string[] | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return undefined;
    for (const { ours, to } of importsOf(file, sources.get(file) ?? '')) {
      const cycle = ours ? visit(to, [...path, file]) : undefined;
      if (cycle) return cycle;
    }
    done.add(file);
    return undefined;
  };
  for (const file of sources.keys()) {
    const cycle = visit(file, []);
    if (cycle) return cycle;
  }
  return undefined;
}

function barrelsIn(sources: Sources): string[] {
  const gathering = /^[ \t]*(?:export|import)\b[^'"`;()=]*?\bfrom\s*['"][^'"]+['"];?/gm;
  const isBarrel = (code: string) => /^[ \t]*export\b/m.test(code) && code.replace(gathering, '').trim() === '';
  return [...sources]
    .filter(([file]) => file !== 'src/index.ts')
    .filter(([file, source]) => file.endsWith('/index.ts') || isBarrel(withoutComments(source)))
    .map(([file]) => file);
}
