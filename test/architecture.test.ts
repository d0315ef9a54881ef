import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commandFeatures } from '../packages/cli/features/index.ts';
import type { Feature } from '../packages/gateway/core/feature.ts';
import { features } from '../packages/gateway/features/index.ts';
import {
  type Import,
  importsOf,
  libraryEntries,
  packageOf,
  reachedFrom,
  readPackages,
  readSources,
  root,
  type Sources,
  withoutComments,
} from './support/imports.ts';
import { readManifest } from './support/installed.ts';

/** Data flows through the library, the gateway and the command line from left to right; imports point left only. */
const line = [
  'contract',
  'toolwharf/kernel',
  'toolwharf/config',
  'toolwharf/connections',
  'toolwharf/catalog',
  'toolwharf/policy',
  'toolwharf/invocation',
  'toolwharf/servers',
  'toolwharf/storage',
  'toolwharf/limits',
  'toolwharf/plugins',
  'toolwharf/toolbox-types.ts',
  'toolwharf/toolbox.ts',
  'toolwharf/index.ts',
  'toolwharf/schema.ts',
  'toolwharf/features',
  'toolwharf/bridges',
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
  {
    room: 'contract',
    what: 'I/O',
    packages: [...network.filter((name) => name !== 'node:net'), ...processes, ...files, ...protocol],
  },
  { room: 'toolwharf/kernel', what: 'the network or a process', packages: [...network, ...processes] },
  // `node:net` is used only to recognize IP addresses.
  {
    room: 'toolwharf/config',
    what: 'the network or a process',
    packages: ['node:http', 'undici', ...processes, ...protocol],
  },
  { room: 'toolwharf/catalog', what: 'the network', packages: [...network, ...processes, ...protocol] },
  { room: 'toolwharf/policy', what: 'I/O', packages: [...network, ...processes, ...files, ...protocol] },
  {
    room: 'toolwharf/invocation',
    what: 'HTTP or the protocol',
    packages: [...network, ...processes, ...files, ...protocol],
  },
  {
    room: 'toolwharf/storage',
    what: 'HTTP or the protocol',
    packages: ['node:http', 'node:https', 'undici', ...protocol],
  },
  { room: 'toolwharf/bridges', what: 'I/O', packages: [...network, ...processes, ...files] },
  // It starts the processes in which scripts run.
  { room: 'toolwharf/features', what: 'the network or the protocol', packages: [...network, ...protocol] },
];

/** The entries of the library, and the lists of features. */
const gatherers = [
  ...['packages/toolwharf/index.ts', 'packages/toolwharf/schema.ts'],
  ...['packages/gateway/features/index.ts', 'packages/cli/features/index.ts'],
];

const library = readManifest();
const gateway = readManifest('packages/gateway');
const build = readManifest('packages/build');
/** Packages whose code is in the published files of the library. */
const bundledInLibrary = ['eventsource-parser', 're2js', 'typebox', 'yaml'];

const all = readPackages();
const product: Sources = new Map([...all].filter(([file]) => !file.endsWith('.test.ts')));

describe('the rooms of packages', () => {
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

  test('no import leaves the packages or refers to a test', () => {
    const outside = importsIn(product).filter(({ ours, to }) => ours && !product.has(to));
    expect(outside.map(described)).toEqual([]);
  });

  test('the library imports nothing that Bun lacks or replaces: `findPackageJSON` and the package `undici`', () => {
    const ofLibrary = new Map([...product].filter(([file]) => file.startsWith('packages/toolwharf/')));
    const replaced = importsIn(ofLibrary).filter(({ to, types }) => to === 'undici' && !types);
    const lacking = [...ofLibrary].filter(([, source]) => source.includes('findPackageJSON'));
    expect([...replaced.map(described), ...lacking.map(([file]) => file)]).toEqual([]);
  });

  test('there are no circular imports', () => {
    expect(cycleIn(product)).toBeUndefined();
  });

  test('only the entries of the library and the lists of features gather other modules', () => {
    expect(barrelsIn(product)).toEqual([]);
  });
});

describe('the features of the gateway', () => {
  test('the core of the gateway imports no feature, and only the list of features names them', () => {
    expect(importsOfFeatures(product)).toEqual([]);
  });

  test('a feature imports another one only if its needs name it', () => {
    expect(importsOfFeaturesNotNeeded(product, features)).toEqual([]);
  });

  test('every folder of a feature has a page, and its feature is in the list', () => {
    const folders = readdirSync(join(root, 'packages/gateway/features'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
    expect(folders.toSorted()).toEqual(features.map(({ name }) => name).toSorted());
    const pages = folders.map((name) => join(root, 'packages/gateway/features', name, 'README.md'));
    expect(pages.filter((page) => !existsSync(page) || readFileSync(page, 'utf8').split('\n').length > 50)).toEqual([]);
  });
});

describe('the features of the library', () => {
  const folders = readdirSync(join(root, 'packages/toolwharf/features'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .toSorted();
  const pageOf = (name: string) => readFileSync(join(root, 'packages/toolwharf/features', name, 'README.md'), 'utf8');

  test('every feature of the library has a page of one screen', () => {
    expect(folders.filter((name) => pageOf(name).split('\n').length > 50)).toEqual([]);
  });

  test('a feature of the library imports exactly those that its page names as its needs, and none that needs it', () => {
    const imported = Object.fromEntries(folders.map((name) => [name, new Set<string>()]));
    for (const { from, to } of importsIn(product)) {
      const [name, other] = [from, to].map((file) => /^packages\/toolwharf\/features\/([^/]+)\//.exec(file)?.[1]);
      if (name !== undefined && other !== undefined && name !== other) imported[name]?.add(other);
    }
    const named = folders.map((name) => {
      const [, needs = ''] = /^## What it needs\n([\s\S]*?)(?=^## |^For users)/m.exec(pageOf(name)) ?? [];
      return [name, folders.filter((other) => needs.includes(`\`${other}\``))] as const;
    });
    expect(Object.fromEntries(Object.entries(imported).map(([name, needs]) => [name, [...needs].toSorted()]))).toEqual(
      Object.fromEntries(named),
    );
    const isNeededBack = ([name, needs]: readonly [string, readonly string[]]) =>
      needs.some((need) => imported[need]?.has(name));
    expect(named.filter(isNeededBack)).toEqual([]);
  });
});

describe('the features of the command line', () => {
  test('the core of the command line imports no feature, and only the list of features names them', () => {
    expect(importsOfCommandFeatures(product)).toEqual([]);
  });

  test('every folder of a feature is named like the feature of the gateway that it needs, and is in the list', () => {
    const folders = readdirSync(join(root, 'packages/cli/features'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
    expect(folders.toSorted()).toEqual(commandFeatures.map(({ name }) => name).toSorted());
    const ofGateway = features.map(({ name }) => name);
    expect(folders.filter((name) => !ofGateway.includes(name))).toEqual([]);
  });
});

describe('the web app', () => {
  const app = new Map([...readSources('packages/web/src', ['.ts', '.tsx'])].filter(([file]) => !/\.test\./.test(file)));

  test('the web app imports nothing of the other packages but the contract', () => {
    const outside = importsIn(app).filter(({ ours, to }) => ours && /^packages\/(?!web\/|contract\/)/.test(to));
    expect(outside.map(described)).toEqual([]);
  });

  test('the shell, the components and the pages of the app import no feature, and only main.tsx uses their list', () => {
    const named = importsIn(app).filter(({ from, to }) => isFeatureOrList(to) && !isFeatureOrList(from));
    expect(named.map(described)).toEqual(['packages/web/src/main.tsx imports packages/web/src/features/index.ts']);
  });

  test('the components of the app import no page, and nothing of the shell', () => {
    const right = importsIn(app).filter(
      ({ from, to }) =>
        /^packages\/web\/src\/(components|api|text)\//.test(from) && /^packages\/web\/src\/(pages|shell)\//.test(to),
    );
    expect(right.map(described)).toEqual([]);
  });

  test('a feature of the app imports another one only if its needs name it', () => {
    const listed = [...app].flatMap(([file, source]) => {
      const name = /^packages\/web\/src\/features\/([^/]+)\/feature\.ts$/.exec(file)?.[1];
      const needs = /^ {2}needs: \[(.*)\],$/m.exec(source)?.[1] ?? '';
      return name === undefined ? [] : { name, needs: [...needs.matchAll(/'([^']+)'/g)].map(([, one = '']) => one) };
    });
    expect(importsOfFeaturesNotNeeded(app, listed)).toEqual([]);
    // Named like the feature of the gateway that switches it off.
    const names = new Set(features.map(({ name }) => name));
    expect(listed.filter(({ name }) => !names.has(name))).toEqual([]);
    const list = app.get('packages/web/src/features/index.ts') ?? '';
    expect([...list.matchAll(/'\.\/([^/]+)\/feature\.ts'/g)].map(([, name]) => name)).toEqual(
      listed.map(({ name }) => name).toSorted(),
    );
  });
});

describe('the library entry', () => {
  const reached = reachedFrom('packages/toolwharf/index.ts', product);
  const packages = [...new Set(reached.filter(({ ours }) => !ours).map(({ to }) => packageOf(to)))];

  test.each(forbiddenInLibrary)('the library entry does not load $what', ({ packages: forbidden }) => {
    expect(packages.filter((name) => forbidden.test(name))).toEqual([]);
  });

  test('the library entry does not load the command line or the gateway', () => {
    const rooms = new Set(reached.filter(({ ours }) => ours).map(({ to }) => roomOf(to)));
    expect(['cli', 'gateway'].filter((room) => rooms.has(room))).toEqual([]);
  });

  test('the library entry loads the other rooms', () => {
    expect(reached.filter(({ ours }) => ours).length).toBeGreaterThan(20);
  });
});

describe('the published packages', () => {
  const libraryPackages = packagesIn(library.dependencies, library.peerDependencies);
  const published = libraryEntries();

  test('the published packages import in the library only dependencies of the library and packages that its files contain, including types', () => {
    expect(published).toContain('packages/toolwharf/index.ts');
    const reached = published.flatMap((entry) => reachedFrom(entry, product, { types: true }));
    expect(importsBeyond(reached, new Set([...libraryPackages, ...bundledInLibrary]))).toEqual([]);
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
    const room = /^\| `([a-z0-9/-]+\/)` \|/.exec(text)?.[1] ?? '';
    return [...text.matchAll(/`([a-z0-9/-]+(?:\.ts|\/))`/g)].map(([, name = '']) =>
      name === room ? name : room + name,
    );
  });
  const isSource = (name: string) =>
    [...all.keys()].some((file) => file === `packages/${name}` || file.endsWith(`/${name}`));
  const exists = (name: string) =>
    [name, `packages/${name}`, `packages/toolwharf/${name}`].some((path) => existsSync(join(root, path)));
  expect(named.length).toBeGreaterThan(100);
  expect(named.filter((name) => !exists(name) && !isSource(name))).toEqual([]);
});

test('no test mocks a module or polls with its own timeout', () => {
  const sources = [all, readSources('test'), readSources('packages/web/src', ['.ts', '.tsx'])].flatMap((found) => [
    ...found,
  ]);
  const impatient = /\bvi\.(mock|doMock|waitFor|waitUntil)\(|\.waitForTimeout\(/;
  expect(sources.filter(([, source]) => impatient.test(withoutComments(source))).map(([file]) => file)).toEqual([]);
});

describe('the architecture checks', () => {
  const check = (files: Record<string, string>): Sources => new Map(Object.entries(files));

  test('the architecture checks find an import that points right, including type imports', () => {
    const sources = check({
      'packages/toolwharf/kernel/a.ts': "import type { B } from '../config/b.ts';",
      'packages/toolwharf/config/b.ts': "import { a } from '../kernel/a.ts';",
    });
    expect(importsToTheRight(sources)).toEqual([
      'packages/toolwharf/kernel/a.ts imports packages/toolwharf/config/b.ts',
    ]);
  });

  test('the architecture checks find an import that a room must not have, and allow type imports and other rooms', () => {
    const sources = check({
      'packages/toolwharf/policy/a.ts':
        "import { readFile } from 'node:fs/promises';\nimport type { Server } from 'node:http';",
      'packages/cli/b.ts': "import { readFile } from 'node:fs/promises';",
    });
    expect(importsOfPackages(sources, 'toolwharf/policy', [...files, ...network])).toEqual([
      'packages/toolwharf/policy/a.ts imports node:fs/promises',
    ]);
  });

  test('the architecture checks find a package of the gateway in a file of the library, including type imports', () => {
    const sources = check({
      'packages/toolwharf/index.ts': "export type { A } from './kernel/a.ts';",
      'packages/toolwharf/kernel/a.ts':
        "import type { Pool } from 'pg';\nimport { z } from 'zod';\nexport type A = Pool;",
    });
    const reached = reachedFrom('packages/toolwharf/index.ts', sources, { types: true });
    expect(importsBeyond(reached, new Set(['zod']))).toEqual(['packages/toolwharf/kernel/a.ts imports pg']);
  });

  test('the architecture checks find a bridge that imports a bridge, and allow shared modules', () => {
    const sources = check({
      'packages/toolwharf/bridges/a.ts': "import { b } from './b.ts';\nimport { s } from './shared/s.ts';",
      'packages/toolwharf/bridges/shared/s.ts': "import { b } from '../b.ts';",
    });
    expect(bridgesImportingBridges(sources)).toEqual([
      'packages/toolwharf/bridges/a.ts imports packages/toolwharf/bridges/b.ts',
      'packages/toolwharf/bridges/shared/s.ts imports packages/toolwharf/bridges/b.ts',
    ]);
  });

  test('the architecture checks find a feature in the core, and one that another does not need', () => {
    const sources = check({
      'packages/gateway/core/a.ts': "import type { B } from '../features/b/b.ts';",
      'packages/gateway/features/b/b.ts': "import { c } from '../c/c.ts';\nimport { a } from '../../core/a.ts';",
      'packages/gateway/features/c/c.ts': "import { b } from '../b/b.ts';",
      'packages/gateway/features/index.ts': "import { b } from './b/b.ts';",
    });
    expect(importsOfFeatures(sources)).toEqual(['packages/gateway/core/a.ts imports packages/gateway/features/b/b.ts']);
    expect(
      importsOfCommandFeatures(
        check({
          'packages/cli/core/a.ts': "import { b } from '../features/b/b.ts';",
          'packages/cli/features/b/b.ts': "import { b } from '../../../gateway/features/b/b.ts';",
          'packages/cli/features/index.ts': "import { b } from './b/b.ts';",
        }),
      ),
    ).toEqual(['packages/cli/core/a.ts imports packages/cli/features/b/b.ts']);
    expect(importsOfFeaturesNotNeeded(sources, [{ name: 'b', needs: ['c'] }, { name: 'c' }])).toEqual([
      'packages/gateway/features/c/c.ts imports packages/gateway/features/b/b.ts',
    ]);
  });

  test('the architecture checks find a feature of the app that another does not need', () => {
    const sources = check({
      'packages/web/src/features/b/B.tsx':
        "import { c } from '../c/C.tsx';\nimport { a } from '../../components/A.tsx';",
      'packages/web/src/features/c/C.tsx': "import { b } from '../b/B.tsx';",
    });
    expect(importsOfFeaturesNotNeeded(sources, [{ name: 'b', needs: ['c'] }, { name: 'c' }])).toEqual([
      'packages/web/src/features/c/C.tsx imports packages/web/src/features/b/B.tsx',
    ]);
  });

  test('the architecture checks find a cycle and a barrel', () => {
    const sources = check({
      'packages/toolwharf/kernel/a.ts': "import { b } from './b.ts';\nexport const a = b;",
      'packages/toolwharf/kernel/b.ts': "import { a } from './a.ts';\nexport const b = a;",
      'packages/toolwharf/kernel/all.ts': "/** Both. */\nexport { a } from './a.ts';\nexport * from './b.ts';\n",
    });
    expect(cycleIn(sources)).toEqual([
      'packages/toolwharf/kernel/a.ts',
      'packages/toolwharf/kernel/b.ts',
      'packages/toolwharf/kernel/a.ts',
    ]);
    expect(barrelsIn(sources)).toEqual(['packages/toolwharf/kernel/all.ts']);
  });
});

/** Imports of the command line that name one of its features, or a feature of the gateway that theirs does not belong to. */
function importsOfCommandFeatures(sources: Sources): string[] {
  const ownFeature = /^packages\/cli\/features\/([^/]+)\//;
  return importsIn(sources)
    .filter(({ from }) => roomOf(from) === 'cli')
    .filter(({ from, to }) => {
      const [own, other] = [ownFeature.exec(from)?.[1], ownFeature.exec(to)?.[1] ?? featureOf(to)];
      return other !== undefined && own !== other && from !== 'packages/cli/features/index.ts';
    })
    .map(described);
}

/** The feature of the gateway that a file belongs to. */
function featureOf(file: string): string | undefined {
  return /^packages\/(?:gateway|web\/src)\/features\/([^/]+)\//.exec(file)?.[1];
}

/** Files of the gateway, outside of features, that name a feature. The command line is right of them and may use them. */
function importsOfFeatures(sources: Sources): string[] {
  return importsIn(sources)
    .filter(({ from, to }) => roomOf(from) === 'gateway' && featureOf(from) === undefined && isFeatureOrList(to))
    .filter(({ from }) => !['index.ts', 'all-routes.ts'].some((name) => from === `packages/gateway/features/${name}`))
    .map(described);
}

function isFeatureOrList(file: string): boolean {
  return /^packages\/(?:gateway|web\/src)\/features\//.test(file);
}

function importsOfFeaturesNotNeeded(sources: Sources, listed: readonly Pick<Feature, 'name' | 'needs'>[]): string[] {
  const needs = new Map(listed.map((feature) => [feature.name, feature.needs ?? []]));
  return importsIn(sources)
    .filter(({ from, to }) => {
      const [own, other] = [featureOf(from), featureOf(to)];
      if (own === undefined || !isFeatureOrList(to) || own === other) return false;
      return other === undefined || !needs.get(own)?.includes(other);
    })
    .map(described);
}

function packagesIn(...lists: (Record<string, string> | undefined)[]): Set<string> {
  return new Set(lists.flatMap((list) => Object.keys(list ?? {})));
}

/** The imports of packages that are not in the list. */
function importsBeyond(imports: readonly Import[], listed: ReadonlySet<string>): string[] {
  const beyond = imports.filter(({ ours, to }) => !ours && !to.startsWith('node:') && !listed.has(packageOf(to)));
  return [...new Set(beyond.map(described))];
}

function roomOf(file: string): string {
  const [, name = '', room = ''] = file.split('/');
  return name === 'toolwharf' ? `${name}/${room}` : name;
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
  const isBridge = (file: string) => /^packages\/toolwharf\/bridges\/[^/]+$/.test(file);
  return importsIn(sources)
    .filter(({ from, to }) => roomOf(from) === 'toolwharf/bridges' && isBridge(to))
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
    .filter(([file]) => !gatherers.includes(file))
    .filter(([file, source]) => file.endsWith('/index.ts') || isBarrel(withoutComments(source)))
    .map(([file]) => file);
}
