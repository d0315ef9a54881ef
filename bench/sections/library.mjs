// A program with the library that connects a server and calls its tool once, beside the same program with `@ai-sdk/mcp`.
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { median, row } from '../parts/statistics.mjs';
import { openUpstream, sdkEvents, sdkStdio1 } from '../parts/upstreams.mjs';
import { inWorkplace } from '../parts/workplace.mjs';

export const title = 'Library';

const run = promisify(execFile);
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const program = here('../servers/first-call.mjs');
const peer = '@ai-sdk/mcp';

export function measure({ repeats, installed }) {
  const libraries = [{ LIBRARY: 'toolwharf', MODULE: pathToFileURL(here('../../dist/toolwharf/index.js')).href }];
  const found = findPeer(installed);
  if (found) libraries.push(found);
  else console.error(`${peer} is not measured: name a folder in which it is installed with --installed FOLDER.`);
  return inWorkplace(async ({ keep }) => {
    const http = await openUpstream(sdkEvents, keep);
    const rows = [];
    const servers = { [sdkStdio1.name]: sdkStdio1.spec.args[0], [sdkEvents.name]: http.spec.url };
    for (const [server, SERVER] of Object.entries(servers)) {
      const runs = [];
      for (let turn = 0; turn < repeats * 3; turn++) {
        const [ours, theirs] = [await start(libraries[0], SERVER), found && (await start(found, SERVER))];
        runs.push({ ours, theirs });
      }
      rows.push(describe(server, runs));
    }
    return rows;
  });
}

function describe(server, runs) {
  const of = (side, figure) => median(runs.map((each) => each[side][figure]));
  const ours = { oursCpuMs: of('ours', 'cpuMs'), oursRssMb: of('ours', 'rssMb') };
  const what = `${server}: start and first call of a program`;
  if (runs[0].theirs === undefined) return row('library', what, [1], ours);
  const ratios = runs.map((each) => each.ours.cpuMs / each.theirs.cpuMs);
  const theirs = { theirsCpuMs: of('theirs', 'cpuMs'), theirsRssMb: of('theirs', 'rssMb') };
  return row('library', `${what}, to ${peer}`, ratios, { ...ours, ...theirs }, { budget: 1.2 });
}

async function start(library, SERVER) {
  const { stdout } = await run(process.execPath, [program], { env: { ...process.env, ...library, SERVER } });
  return JSON.parse(stdout);
}

function findPeer(installed) {
  if (installed === undefined) return undefined;
  const { resolve } = createRequire(join(installed, 'package.json'));
  try {
    const [MODULE, STDIO] = [peer, `${peer}/mcp-stdio`].map((name) => pathToFileURL(resolve(name)).href);
    return { LIBRARY: peer, MODULE, STDIO };
  } catch {
    return undefined;
  }
}
