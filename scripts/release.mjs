// Prepares a release: `npm run release -- 0.2.0`. Writes the version into the packages, the chart and the documents, and gives the
// section Unreleased of the changelog the version and the date. It commits and publishes nothing. `--notes` prints the section of the
// current version, for the release on GitHub.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root as checkout } from './project.mjs';

const manifests = [
  'package.json',
  'packages/gateway/package.json',
  'packages/build/package.json',
  'packages/web/package.json',
];
const versionModule = 'packages/toolwharf/kernel/version.ts';
const chart = 'deploy/helm/toolwharf/Chart.yaml';
/** Pages that show the version as output or in names of files. */
const pages = ['docs/guide/getting-started.md', 'docs/guide/gateway.md', 'docs/reference/cli.md'];

/** Writes the version everywhere and returns the changed files. Throws if there is nothing to release. */
export function prepareRelease(version, { root = checkout, date = new Date().toISOString().slice(0, 10) } = {}) {
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error(`${version} is not a version such as 0.2.0`);
  const edit = (file, change) => {
    const path = join(root, file);
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, change(text));
    return file;
  };
  const { version: before } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return [
    edit('CHANGELOG.md', (text) => nameUnreleased(text, version, date)),
    ...manifests.map((file) => edit(file, (text) => text.replace(/("version": )"[^"]+"/, `$1"${version}"`))),
    edit(versionModule, (text) => text.replace(/(version = )'[^']+'/, `$1'${version}'`)),
    edit(chart, (text) => text.replace(/^((?:appV|v)ersion: ).*$/gm, `$1${version}`)),
    ...pages.map((file) =>
      edit(file, (text) =>
        text
          .replaceAll(`Toolwharf ${before} is running`, `Toolwharf ${version} is running`)
          .replaceAll(`-${before}.tgz`, `-${version}.tgz`),
      ),
    ),
  ];
}

/** The changelog with its section Unreleased named after the version, below a new empty one. */
export function nameUnreleased(changelog, version, date) {
  if (changelog.includes(`\n## ${version} `)) throw new Error(`CHANGELOG.md has a section ${version} already`);
  const [section] = /^## Unreleased\n([\s\S]*?)(?=^## |$(?![\s\S]))/m.exec(changelog) ?? [''];
  if (!/^- /m.test(section)) throw new Error('The section Unreleased of CHANGELOG.md is empty');
  return changelog.replace('## Unreleased\n', `## Unreleased\n\n## ${version} (${date})\n`);
}

/** The section of a version, without its heading. */
export function notesOf(changelog, version) {
  const start = changelog.indexOf(`\n## ${version} `);
  if (start < 0) throw new Error(`CHANGELOG.md has no section ${version}`);
  const [, ...lines] = changelog.slice(start + 1).split('\n');
  const end = lines.findIndex((line) => line.startsWith('## '));
  return lines
    .slice(0, end < 0 ? undefined : end)
    .join('\n')
    .trim();
}

function main([argument]) {
  if (argument === '--notes') {
    const { version } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8'));
    console.log(notesOf(readFileSync(join(checkout, 'CHANGELOG.md'), 'utf8'), version));
    return;
  }
  const changed = prepareRelease(argument ?? '');
  console.log(`Changed ${changed.join(', ')}.`);
  console.log('Next: npm install --package-lock-only, npm run render-chart, npm test, then commit and tag.');
}

if (process.argv[1] === import.meta.filename) {
  try {
    main(process.argv.slice(2));
  } catch (cause) {
    console.error(cause.message);
    process.exitCode = 1;
  }
}
