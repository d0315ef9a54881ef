// The start time of the command line.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { echoStdio, mainScript } from '../parts/processes.mjs';
import { median, row } from '../parts/statistics.mjs';
import { stdioServer } from '../parts/workplace.mjs';

export const title = 'Command line';

export async function measure({ repeats }) {
  const directory = mkdtempSync(join(tmpdir(), 'toolwharf-bench-'));
  try {
    const config = join(directory, 'config.json');
    writeFileSync(config, JSON.stringify({ servers: { echo: stdioServer() } }));
    const tools = ['tools', '--config', config, '--data-dir', join(directory, 'data')];
    const times = { bare: [], help: [], server: [], tools: [] };
    for (let turn = 0; turn < repeats * 2; turn++) {
      times.bare.push(await timed(['-e', '0']));
      times.help.push(await timed([mainScript, '--help']));
      times.server.push(await timed([echoStdio]));
      times.tools.push(await timed([mainScript, ...tools]));
    }
    const ratios = (one, other) => times[one].map((ms, at) => ms / times[other][at]);
    const figures = Object.fromEntries(Object.entries(times).map(([name, all]) => [`${name}Ms`, median(all)]));
    return [
      row('commands', 'toolwharf --help to a bare Node', ratios('help', 'bare'), figures),
      row(
        'commands',
        'toolwharf tools with one stdio server to a bare Node and that server',
        times.tools.map((ms, at) => ms / (times.bare[at] + times.server[at])),
        figures,
      ),
    ];
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function timed(args) {
  const begun = performance.now();
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  await new Promise((resolve) => child.once('exit', resolve));
  return performance.now() - begun;
}
