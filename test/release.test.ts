import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { tempDir } from './support/fixtures.ts';
import { readPackages, root, withoutComments } from './support/imports.ts';
import { readManifest } from './support/installed.ts';

interface Scripts {
  readonly listPackages: () => readonly { readonly name: string; readonly licence: string }[];
  readonly isAllowed: (licence: string) => boolean;
  readonly toSbom: (packages: ReturnType<Scripts['listPackages']>) => {
    readonly bomFormat: string;
    readonly components: readonly { readonly name: string }[];
  };
  readonly prepareRelease: (version: string, options: { root: string; date?: string }) => readonly string[];
  readonly nameUnreleased: (changelog: string, version: string, date: string) => string;
  readonly notesOf: (changelog: string, version: string) => string;
  readonly supportedNodes: readonly string[];
}

// The scripts are JavaScript without types.
const load = (name: string) => import(pathToFileURL(join(root, 'scripts', name)).href) as Promise<Scripts>;
const { isAllowed, listPackages, toSbom } = await load('licences.mjs');
const { nameUnreleased, notesOf, prepareRelease } = await load('release.mjs');
const { supportedNodes } = await load('test-nodes.mjs');
const run = promisify(execFile);
const read = (file: string) => readFileSync(join(root, file), 'utf8');

describe('licences', () => {
  const packages = listPackages();

  test('licences outside the list of allowed ones are not in the published packages', () => {
    expect(packages.length).toBeGreaterThan(100);
    expect(packages.filter(({ licence }) => !isAllowed(licence))).toEqual([]);
  });

  test('licences are listed in docs/licences.md (npm run licences writes it)', async () => {
    await run(process.execPath, [join(root, 'scripts', 'licences.mjs'), '--check']);
  });

  test('licences are expressions: one of several choices must be allowed, and all parts of a choice', () => {
    expect(isAllowed('(MIT OR GPL-3.0-only)')).toBe(true);
    expect(isAllowed('MIT AND Apache-2.0')).toBe(true);
    expect(isAllowed('MIT AND GPL-3.0-only')).toBe(false);
    expect(isAllowed('AGPL-3.0')).toBe(false);
    expect(isAllowed('unknown')).toBe(false);
  });

  test('licences, versions and hashes are in the bill of materials', () => {
    const { bomFormat, components } = toSbom(packages);
    expect(bomFormat).toBe('CycloneDX');
    const names = components.map(({ name }) => name);
    for (const folder of ['', 'packages/gateway'])
      expect(names).toEqual(expect.arrayContaining(Object.keys(readManifest(folder).dependencies ?? {})));
    expect(names).not.toContain('vitest');
    const zod = components.find(({ name }) => name === 'zod');
    expect(zod).toMatchObject({
      purl: expect.stringMatching(/^pkg:npm\/zod@4\./),
      licenses: [{ expression: 'MIT' }],
      hashes: [{ alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/) }],
    });
  });
});

describe('a release', () => {
  test('a release writes its version into packages, chart, documents and changelog', async () => {
    await using directory = await tempDir();
    const files = [
      'CHANGELOG.md',
      'package.json',
      'packages/gateway/package.json',
      'packages/build/package.json',
      'packages/web/package.json',
    ];
    const versionModule = 'packages/toolwharf/kernel/version.ts';
    const others = [
      'deploy/helm/toolwharf/Chart.yaml',
      'docs/guide/getting-started.md',
      'docs/guide/gateway.md',
      'docs/reference/cli.md',
    ];
    for (const file of [...files, versionModule, ...others]) {
      mkdirSync(dirname(directory.file(file)), { recursive: true });
      cpSync(join(root, file), directory.file(file));
    }
    const changed = prepareRelease('9.8.7', { root: directory.path, date: '2030-01-02' });
    expect([...changed].sort()).toEqual([...files, versionModule, ...others].sort());
    const text = (file: string) => readFileSync(directory.file(file), 'utf8');
    expect(text(versionModule)).toContain("version = '9.8.7'");
    for (const file of files.slice(1)) expect(JSON.parse(text(file)).version).toBe('9.8.7');
    expect(parse(text('deploy/helm/toolwharf/Chart.yaml'))).toMatchObject({ version: '9.8.7', appVersion: '9.8.7' });
    for (const file of others.slice(1)) expect(text(file)).toContain('9.8.7');
    expect(text('CHANGELOG.md')).toContain('## Unreleased\n\n## 9.8.7 (2030-01-02)\n');
    expect(() => prepareRelease('9.8.7', { root: directory.path })).toThrow('has a section 9.8.7 already');
    expect(() => prepareRelease('next', { root: directory.path })).toThrow('not a version');
  });

  test('a release needs entries in the changelog, which are its notes', () => {
    const changelog = '# Changelog\n\n## Unreleased\n\n### Changed\n\n- one\n\n## 0.1.0 (2026-01-01)\n\n- zero\n';
    const named = nameUnreleased(changelog, '0.2.0', '2026-11-17');
    expect(notesOf(named, '0.2.0')).toBe('### Changed\n\n- one');
    expect(notesOf(named, '0.1.0')).toBe('- zero');
    expect(() => nameUnreleased(named, '0.3.0', '2026-11-18')).toThrow('is empty');
  });

  test('a release is published with provenance by a workflow that has no other rights, after all tests', () => {
    const { jobs, permissions } = parse(read('.github/workflows/release.yml'));
    expect(permissions).toEqual({ contents: 'read' });
    expect(jobs.publish.needs).toBe('check');
    expect(jobs.publish.permissions).toEqual({ contents: 'write', 'id-token': 'write' });
    const commands: string[] = jobs.publish.steps.map(({ run: command = '' }) => command);
    const published = commands.filter((command) => command.startsWith('npm publish'));
    expect(published).toHaveLength(2);
    for (const command of published) expect(command).toContain('--provenance');
    const checks: string[] = jobs.check.steps.map(({ run: command = '' }) => command);
    expect(checks).toEqual(expect.arrayContaining(['npm test', 'npm run test:nodes']));
  });

  test('a release is tested with the versions of Node that docs/support.md lists, the oldest being that of package.json', () => {
    const page = read('docs/support.md');
    for (const version of supportedNodes) expect(page).toContain(version.replace(/\.0$/, ''));
    const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } };
    expect(`>=${supportedNodes[0]?.replace(/\.0$/, '')}`).toBe(engines.node);
  });

  test('a release uses no global that the oldest supported Node lacks', () => {
    const newer =
      /\b(?:Async)?DisposableStack\b|\bRegExp\.escape\b|\bPromise\.try\b|\bError\.isError\b|\.getOrInsert\(|\bFloat16Array\b/;
    const sources = [...readPackages()].filter(([file]) => !file.endsWith('.test.ts'));
    expect(sources.filter(([, text]) => newer.test(withoutComments(text))).map(([file]) => file)).toEqual([]);
  });
});
