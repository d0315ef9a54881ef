// Renders the Helm chart with everything enabled into test/fixtures/deploy, where test/deploy checks the objects. Needs
// `helm` in PATH. The first line of the file has the chart's digest, so that the tests notice an outdated file; `--digest`
// only prints it.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './project.mjs';

const chart = join(root, 'deploy', 'helm', 'toolwharf');

if (process.argv.includes('--digest')) process.stdout.write(chartDigest());
else render();

/** The SHA-256 hash of all files of the chart. */
function chartDigest() {
  const hash = createHash('sha256');
  const files = readdirSync(chart, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  for (const file of files) hash.update(`${file.slice(chart.length)}\0`).update(readFileSync(file));
  return hash.digest('hex');
}

function render() {
  const enabled = ['autoscaling', 'ingress', 'podMonitor'].flatMap((part) => ['--set', `${part}.enabled=true`]);
  const args = ['template', 'tools', chart, '--namespace', 'agents', ...enabled];
  const objects = execFileSync('helm', args, { encoding: 'utf8' });
  const header = `# npm run render-chart, chart sha256:${chartDigest()}\n`;
  writeFileSync(join(root, 'test', 'fixtures', 'deploy', 'rendered-chart.yaml'), header + objects);
}
