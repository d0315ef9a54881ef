import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../packages/contract/json.ts';
import type { HttpTarget, StdioTarget } from '../packages/contract/settings/config.ts';
import { parseConfig } from '../packages/toolwharf/config/load-config.ts';
import { nativeJsonSchema } from '../packages/toolwharf/config/native-json-schema.ts';
import { policyVariables } from '../packages/toolwharf/features/policy/variables.ts';
import { parseDuration } from '../packages/toolwharf/index.ts';
import { keysOf, updateReference } from '../scripts/config-reference.ts';
import { updateOptions } from '../scripts/option-reference.ts';
import { libraryFiles, readPackages, root, withoutComments } from './support/imports.ts';
import { type Page, rowsOf, toPage } from './support/markdown.ts';

const read = (file: string) => readFileSync(join(root, file), 'utf8');
const manifest = JSON.parse(read('package.json'));
const gatewayManifest = JSON.parse(read('packages/gateway/package.json'));
const buildManifest = JSON.parse(read('packages/build/package.json'));
const webManifest = JSON.parse(read('packages/web/package.json'));
const siteManifest = JSON.parse(read('site/package.json'));

describe('docs/dependencies.md', () => {
  const sections = sectionsOf('docs/dependencies.md');

  test('docs/dependencies.md has a line for each package that a package.json lists, and for no other', () => {
    expect(namesIn(sections.get('In the library'))).toEqual(Object.keys(manifest.dependencies).sort());
    const onlyInGateway = Object.keys(gatewayManifest.dependencies).filter((name) => !(name in manifest.dependencies));
    expect(namesIn(sections.get('In the gateway'))).toEqual(onlyInGateway.sort());
    expect(namesIn(sections.get('In the command line'))).toEqual(Object.keys(buildManifest.dependencies).sort());
    expect(namesIn(sections.get('In the app'))).toEqual(Object.keys(webManifest.dependencies).sort());
    expect(namesIn(sections.get('In the documentation site'))).toEqual(Object.keys(siteManifest.dependencies).sort());
    const dev = { ...manifest.devDependencies, ...webManifest.devDependencies };
    expect(namesIn(sections.get('For development'))).toEqual(Object.keys(dev).sort());
  });

  test('docs/dependencies.md names the optional peers and the overrides', () => {
    const page = read('docs/dependencies.md');
    for (const name of [...Object.keys(manifest.peerDependencies), ...Object.keys(manifest.overrides)])
      expect(page).toContain(`\`${name}\``);
  });
});

test('docs/guide/policy.md has the table of the variables that conditions know', () => {
  const rows = policyVariables.map(({ name, type, description }) => `| \`${name}\` | ${type} | ${description} |`);
  expect(read('docs/guide/policy.md')).toContain(`|---|---|---|\n${rows.join('\n')}\n\n`);
});

describe('docs/reference/library.md', () => {
  const sections = sectionsOf('docs/reference/library.md');

  test('docs/reference/library.md names every export of the library, and nothing else', () => {
    const main = ['toolwharf', 'Types'].flatMap((title) => namesIn(sections.get(title)));
    expect(main.sort()).toEqual(exportsOf('packages/toolwharf/index.ts').sort());
  });

  test('docs/reference/library.md names every member of the toolbox and every option', () => {
    const source = read('packages/toolwharf/toolbox-types.ts');
    const content = read('packages/toolwharf/servers/server-content.ts');
    const groups = new Map([
      ['servers', membersOf(source, 'ToolboxServers')],
      ['resources', [...membersOf(content, 'ServerContent', 'resources'), ...membersOf(source, 'ToolboxResources')]],
      ['prompts', [...membersOf(content, 'ServerContent', 'prompts'), ...membersOf(source, 'ToolboxPrompts')]],
      ['skills', membersOf(read('packages/toolwharf/servers/skills/toolbox-skills.ts'), 'ToolboxSkills')],
      ['calls', membersOf(source, 'ToolboxCalls')],
      ['approvals', membersOf(source, 'ToolboxApprovals')],
      ['catalog', membersOf(source, 'ToolboxCatalog')],
    ]);
    const members = membersOf(source, 'Toolbox').flatMap(
      (member) => groups.get(member)?.map((name) => `${member}.${name}`) ?? member,
    );
    const inherited = ['tools', 'runCode', '[Symbol.asyncDispose]'];
    const documented = namesIn(sections.get('The toolbox')).map((name) => name.replace(/\(.*/, ''));
    expect(documented.sort()).toEqual([...members, ...inherited].sort());
    expect(namesIn(sections.get('Options of createToolbox'))).toEqual(membersOf(source, 'ToolboxOptions').sort());
  });

  const subpaths = Object.entries(manifest.exports as Record<string, string | { readonly types: string }>).flatMap(
    ([path, target]) => (typeof target === 'object' && path !== '.' ? [{ path, target: target.types }] : []),
  );
  test.each(subpaths)('docs/reference/library.md names every export of $path, and nothing else', ({ path, target }) => {
    const source = target.replace('./dist/', 'packages/').replace(/d\.ts$/, 'ts');
    expect(namesIn(sections.get(`toolwharf${path.slice(1)}`))).toEqual(exportsOf(source).sort());
  });

  test('docs/reference/library.md names the subpaths that are files', () => {
    const files = Object.keys(manifest.exports).filter((path) => path.endsWith('.json'));
    expect(namesIn(sections.get('Other subpaths'))).toEqual(files.map((path) => `toolwharf${path.slice(1)}`).sort());
  });
});

describe('docs/reference/config.md', () => {
  const rows = rowsOf(toPage('docs/reference/config.md', read('docs/reference/config.md')));
  const keys = keysOf(nativeJsonSchema());

  test('docs/reference/config.md names every key of the JSON Schema with its type, and no other', () => {
    expect(rows.map(([key, type]) => [key, type]).sort()).toEqual(
      [...keys].map(([key, { type }]) => [key, type]).sort(),
    );
  });

  test('docs/reference/config.md is what `npm run schema` writes', () => {
    const page = read('docs/reference/config.md');
    expect(updateReference(page, nativeJsonSchema())).toBe(page);
  });

  test('the options of servers in docs/reference/cli.md are what `npm run schema` writes', () => {
    const page = read('docs/reference/cli.md');
    expect(page).toContain('| `--placement <placement>` |');
    expect(updateOptions(page)).toBe(page);
  });

  test('docs/reference/config.md states which keys are required, and the defaults of the schema', () => {
    for (const [key, , stated] of rows) {
      const { required, fallback } = keys.get(key) ?? {};
      const isOfTool = key.startsWith('toolbox.tools.');
      if (required) expect(`${key}: ${stated}`).toBe(`${key}: required`);
      // The limits of a single tool default to those of its server, not to the default of the schema.
      else if (fallback !== undefined && !isOfTool) expect(`${key}: ${stated}`).toBe(`${key}: \`${fallback}\``);
      else expect(stated).not.toBe('required');
    }
  });

  test('docs/reference/config.md states the defaults of a configuration without the key', () => {
    const { config } = parseConfig(
      {
        servers: {
          a: { command: 'x' },
          b: { url: 'https://x.y' },
          c: { url: 'https://x.y', endpoints: [{ name: 'e', path: '/' }] },
        },
        toolbox: { chains: { c: { steps: [{ tool: 't' }] } } },
        policy: { rules: [{ id: 'r', when: 'true', then: 'ask' }] },
      },
      { env: {} },
    );
    const [stdio, http, api] = config.servers;
    const { approval, ...toolbox } = config.toolbox;
    const [chain] = toolbox.chains;
    const { gateway } = config;
    const { oidc } = parseConfig({ gateway: { oidc: { issuer: 'https://x.y', clientId: 'c' } } }, { env: {} }).config
      .gateway;
    const actual: Record<string, unknown> = {
      ...prefixed('servers.NAME.', {
        ...stdio,
        ...http?.target,
        timeout: stdio?.timeoutMs,
        installTimeout: stdio?.installTimeoutMs,
        maxTimeout: stdio?.maxTimeoutMs,
        cancelGrace: stdio?.cancelGraceMs,
        idleAfter: stdio?.idleAfterMs,
        questionHold: stdio?.questionHoldMs,
      }),
      ...prefixed('servers.NAME.defaultToolConfig.', { ...stdio?.defaultTool, timeout: stdio?.defaultTool.timeoutMs }),
      ...prefixed('toolbox.', toolbox),
      ...prefixed('toolbox.chains.NAME.', { ...chain, timeout: chain?.timeoutMs }),
      ...prefixed('toolbox.approval.', { ...approval, expires: approval.expiresMs }),
      'servers.NAME.inheritEnv': (stdio?.target as StdioTarget | undefined)?.inheritEnv ?? false,
      'servers.NAME.authentication.header': 'x-api-key',
      ...prefixed('servers.NAME.endpoints.', { ...(api?.target as HttpTarget | undefined)?.endpoints?.[0] }),
      'profiles.NAME.naming': config.profiles[0]?.naming,
      'profiles.NAME.expose': config.profiles[0]?.expose,
      'profiles.NAME.exposeBudget': config.profiles[0]?.exposeBudget,
      ...prefixed('policy.rules.', { ...config.policy?.rules[0] }),
      ...prefixed('gateway.', {
        ...gateway,
        listWait: gateway.listWaitMs,
        questionTimeout: gateway.questionTimeoutMs,
        shutdown: gateway.shutdownMs,
        lease: gateway.leaseMs,
      }),
      ...prefixed('gateway.sandbox.', { ...gateway.sandbox }),
      ...prefixed('gateway.limits.', {
        ...gateway.limits,
        slowClientTimeout: gateway.limits.slowClientTimeoutMs,
      }),
      ...prefixed('gateway.apps.', { ...gateway.apps }),
      ...prefixed('gateway.oidc.', { ...oidc }),
      ...prefixed('gateway.oidc.tokenScopes.', { ...oidc?.tokenScopes }),
      ...prefixed('gateway.retention.', { ...gateway.retention, maxAge: gateway.retention.maxAgeMs }),
    };
    const stated = rows.filter(([, , fallback]) => fallback?.startsWith('`'));
    expect(stated.length).toBeGreaterThan(15);
    for (const [key, type, fallback = ''] of stated) {
      const value = fallback.replaceAll('`', '');
      const expected = type === 'duration' ? parseDuration(value) : value;
      expect(`${key}: ${String(actual[key])}`).toBe(`${key}: ${expected}`);
    }
  });
});

describe('docs/reference/events.md', () => {
  const sections = sectionsOf('docs/reference/events.md');
  const events = membersOf(read('packages/toolwharf/servers/toolbox-events.ts'), 'ToolboxEvents');

  test('docs/reference/events.md names every event of the toolbox', () => {
    expect(namesIn(sections.get('Events'))).toEqual(events.sort());
  });

  const product = new Map([...readPackages()].filter(([file]) => !file.endsWith('.test.ts')));
  const ofLibrary = libraryFiles(product);
  test.each([
    ['Log', (file: string) => ofLibrary.has(file)],
    // Commands other than `serve` print for people and have no log, except for what all of them do with the store.
    [
      'Log of the gateway',
      (file: string) =>
        !ofLibrary.has(file) && !/^packages\/cli\/(?!core\/commands\/serve\/|core\/client\/open-store\.ts)/.test(file),
    ],
  ] as const)('docs/reference/events.md names every event under "%s" with its level', (title, belongs) => {
    const sources = [...product].filter(([file]) => belongs(file));
    // A call of the log, or a pair of event and message that was chosen before the call.
    const logging =
      /\blog(?:\??\.|\(\s*')(debug|info|warning|error)(?:\(|',)\s*'([a-z\d.-]+)'|(?<=[?:] )\(\['([a-z]+\.[a-z-]+)',/g;
    const logged = new Map(
      sources
        .flatMap(([, source]) => [...withoutComments(source).matchAll(logging)])
        .map(([, level, called, chosen]) => [called ?? chosen ?? '', level ?? 'info']),
    );
    const documented = rowsOf(sections.get(title) as Page).map(([event, level]) => [event, level]);
    expect(documented.sort()).toEqual([...logged].sort());
  });
});

/** The sections of a page by their headings. */
function sectionsOf(file: string): Map<string, Page> {
  const parts = read(file).split(/^#{2,3} (?=.)/m);
  return new Map(
    parts.map((part) => {
      const [title = '', ...lines] = part.split('\n');
      return [title.replaceAll('`', ''), toPage(file, lines.join('\n'))];
    }),
  );
}

/** The names in the first cells of the tables of a page, sorted. */
function namesIn(page: Page | undefined): string[] {
  const lines = (page?.text ?? '').split('\n').filter((line) => line.startsWith('| `'));
  return lines
    .flatMap((line) => [...(line.split(' | ')[0] ?? '').matchAll(/`([^`]+)`/g)].map(([, name = '']) => name))
    .sort();
}

/** The names that a module exports, including types, or only the types. */
function exportsOf(file: string, typesOnly = false): string[] {
  const code = withoutComments(read(file));
  const own = [...code.matchAll(/^export (?:async )?(interface|type|const|function|class) (\w+)/gm)].flatMap(
    ([, kind = '', name = '']) => (typesOnly && (kind === 'const' || kind === 'function') ? [] : [name]),
  );
  const lists = [...code.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, list = '']) =>
    list.split(',').flatMap((entry) => entry.replace('type ', '').trim() || []),
  );
  const whole = [...code.matchAll(/^export type \* from '([^']+)'/gm)].flatMap(([, target = '']) =>
    exportsOf(join(dirname(file), target), true),
  );
  return [...new Set([...own, ...lists, ...whole])];
}

/** The members of an interface, or of one of its members that is an object type, read from the source. */
function membersOf(source: string, name: string, member?: string): string[] {
  const [, body = ''] = new RegExp(`^export interface ${name}\\b[^{]*\\{\\n([^]*?)^\\}`, 'm').exec(source) ?? [];
  const [, inner = ''] = new RegExp(`^ {2}readonly ${member}: \\{\\n([^]*?)^ {2}\\}`, 'm').exec(body) ?? [];
  const lines = member === undefined ? body : inner.replaceAll(/^ {2}/gm, '');
  return [...lines.matchAll(/^ {2}(?:readonly )?'?([\w.]+)'?[?(<:]/gm)].map(([, found = '']) => found);
}

function prefixed(prefix: string, values: object): JsonObject {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [prefix + key, value]));
}
