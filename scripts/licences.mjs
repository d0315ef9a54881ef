// Lists the licences of all packages that the published packages install or contain: docs/licences.md. `--check` fails if the list is
// out of date or a licence is not allowed. `--sbom` prints a CycloneDX document of the same packages, for `npm run sbom`: `npm sbom`
// omits packages that a development package needs too.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { root } from './project.mjs';

/** Permissive licences, without duties for the code of a product that contains the package. */
export const allowedLicences = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Unlicense',
];

/** Programs that `npm start` runs, and the build tools of the app. They are not published. */
const notPublished = new Set([
  '@modelcontextprotocol/server-filesystem',
  '@tailwindcss/vite',
  '@vitejs/plugin-react',
  'node',
  'tailwindcss',
  'vite',
]);

const file = join(root, 'docs', 'licences.md');
const read = (path) => JSON.parse(readFileSync(path, 'utf8'));

/** The packages of the library, the gateway with its command line, and the app, with everything that they depend on. */
export function listPackages() {
  const found = new Map();
  for (const [folder, part] of [
    ['', 'library'],
    ['packages/gateway', 'gateway'],
    ['packages/build', 'gateway'],
    ['packages/web', 'app'],
  ]) {
    const { dependencies = {} } = read(join(root, folder, 'package.json'));
    for (const name of Object.keys(dependencies)) visit(name, join(root, folder), part, found);
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Whether the allowed licences satisfy an SPDX expression. */
export function isAllowed(expression) {
  const choices = expression.replaceAll(/[()]/g, '').split(/\s+OR\s+/i);
  return choices.some((choice) =>
    choice.split(/\s+AND\s+/i).every((licence) => allowedLicences.includes(licence.trim())),
  );
}

function visit(name, from, part, found) {
  const directory = notPublished.has(name) ? undefined : findPackage(name, from);
  // The packages of other platforms are missing on this one.
  if (directory === undefined) return;
  const {
    version,
    license,
    licenses,
    dependencies = {},
    optionalDependencies = {},
  } = read(join(directory, 'package.json'));
  const licence = typeof license === 'string' ? license : (license?.type ?? licenses?.[0]?.type ?? 'unknown');
  const key = `${name} ${licence}`;
  const known = found.get(key) ?? { name, licence, parts: new Set(), installed: new Map() };
  known.installed.set(version, relative(root, directory).replaceAll('\\', '/'));
  if (known.parts.has(part)) return;
  known.parts.add(part);
  found.set(key, known);
  for (const dependency of Object.keys({ ...dependencies, ...optionalDependencies }))
    visit(dependency, directory, part, found);
}

function findPackage(name, from) {
  const folders = createRequire(join(from, 'package.json')).resolve.paths(name) ?? [];
  return folders
    .filter((folder) => folder.startsWith(root))
    .map((folder) => join(folder, name))
    .find((directory) => {
      try {
        return read(join(directory, 'package.json')).name === name;
      } catch {
        return false;
      }
    });
}

function toPage(packages) {
  const rows = packages.map(
    ({ name, licence, parts }) => `| \`${name}\` | ${licence} | ${[...parts].sort().join(', ')} |`,
  );
  return `# Licences

Every package that the library, the gateway and the app install or contain, written by \`npm run licences\`. A test fails if the list is
out of date, or if a package has another licence than ${allowedLicences.join(', ')}.

The command line and the app contain some of these packages; the gateway's package has their licence texts in
\`dist/cli/third-party-licences.txt\`. \`npm run --silent sbom\` prints a CycloneDX document with versions and hashes.

| package | licence | part |
|---|---|---|
${rows.join('\n')}
`;
}

/** A CycloneDX document: every installed version with its licence and hash. */
export function toSbom(packages) {
  const { name, version, license } = read(join(root, 'package.json'));
  const { packages: locked } = read(join(root, 'package-lock.json'));
  const component = (type, one) => ({ type, ...one, purl: `pkg:npm/${one.name.replace('@', '%40')}@${one.version}` });
  const toComponent = ({ name: dependency, licence, installed }) =>
    [...installed].map(([installedVersion, path]) => ({
      ...component('library', { name: dependency, version: installedVersion }),
      licenses: [{ expression: licence }],
      hashes: hashesOf(locked[path]?.integrity),
    }));
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { ...component('application', { name, version }), licenses: [{ expression: license }] } },
    components: packages.flatMap(toComponent),
  };
}

function hashesOf(integrity = '') {
  const [, base64] = /^sha512-(\S+)/.exec(integrity) ?? [];
  return base64 === undefined ? [] : [{ alg: 'SHA-512', content: Buffer.from(base64, 'base64').toString('hex') }];
}

function main(args) {
  const packages = listPackages();
  const page = toPage(packages);
  if (args.includes('--sbom')) return console.log(JSON.stringify(toSbom(packages), null, 2));
  if (!args.includes('--check')) return writeFileSync(file, page);
  const problems = packages
    .filter(({ licence }) => !isAllowed(licence))
    .map(({ name, licence }) => `${name} has the licence ${licence}, which is not in the list of allowed licences`);
  if (readFileSync(file, 'utf8') !== page) problems.push('docs/licences.md is out of date: run npm run licences');
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
}

if (process.argv[1] === import.meta.filename) main(process.argv.slice(2));
