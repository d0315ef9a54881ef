// Other gateways beside ours, each in front of the same server of the SDK 1.x, in turns: those that --against names, the Rust
// mcp-proxy if it is there, and the least that a gateway in Node does.
import { findRustProxy, forwarders, otherGateways, startOther, whenAnswering } from '../parts/other-gateways.mjs';
import { load } from '../parts/processes.mjs';
import { openClient } from '../parts/raw-client.mjs';
import { openSseClient } from '../parts/sse-client.mjs';
import { median, row } from '../parts/statistics.mjs';
import { openUpstream, sdkEvents, sdkStdio1 } from '../parts/upstreams.mjs';
import { inWorkplace } from '../parts/workplace.mjs';

export const title = 'Other gateways';

const args = { text: 'hello' };
const warmUpMs = 10_000;

export function measure({ repeats, ms, others, installed }) {
  if (others.length === 0)
    console.error(`Name others with --against ${Object.keys(otherGateways).join(',')} --installed FOLDER.`);
  const rustProxy = findRustProxy(installed);
  if (!rustProxy)
    console.error(
      'The Rust mcp-proxy is not measured: `cargo install mcp-proxy --root FOLDER`, and --installed FOLDER.',
    );
  return inWorkplace(async ({ keep, gateway, directory }) => {
    const http = await openUpstream(sdkEvents, keep);
    const ours = await gateway({ http: http.spec, stdio: sdkStdio1.spec });
    const own = (upstream) => ({ ...ours, address: `${ours.address}/mcp`, era: 'legacy', tool: `${upstream}__echo` });
    const rows = [];
    const openers = [
      ...(rustProxy ? [rustProxy] : []),
      ...forwarders,
      ...others.map((name) => (options) => startOther(name, options)),
    ];
    for (const open of openers) {
      const other = await open({ installed, directory, stdio: sdkStdio1.spec, url: http.spec.url });
      try {
        const connect = () =>
          other.era === 'sse' ? openSseClient(other.address) : openClient(other.address, { era: other.era });
        await whenAnswering(connect, other.tool, args);
        rows.push(...(await compareWith(other, own(other.upstream), { repeats, ms })));
      } finally {
        await other.stop();
      }
    }
    return rows;
  });
}

async function compareWith(other, ours, { repeats, ms }) {
  const call = ({ address, era, tool, ...served }, options) =>
    load({ url: address, era, tool, args, ...options }, [served]);
  for (const one of [ours, other]) await call(one, { clients: 16, ms: warmUpMs });
  const rows = [];
  for (const clients of [1, 16, 64]) {
    // One process of the server for each client is too much for the machine.
    if (clients === 64 && other.name.startsWith('supergateway')) continue;
    const pairs = [];
    for (let turn = 0; turn < repeats; turn++)
      pairs.push({ theirs: await call(other, { clients, ms }), own: await call(ours, { clients, ms }) });
    const of = (side, figure) => median(pairs.map((pair) => figure(pair[side])));
    rows.push(
      row(
        'against',
        `${other.name}, ${other.upstream} server, ${clients} ${clients === 1 ? 'client' : 'clients'}: our processor time to theirs`,
        pairs.map(({ theirs, own }) => own.cpuMsPerCall[0] / theirs.cpuMsPerCall[0]),
        {
          oursCpuMs: of('own', (run) => run.cpuMsPerCall[0]),
          theirsCpuMs: of('theirs', (run) => run.cpuMsPerCall[0]),
          oursPerSecond: of('own', (run) => run.perSecond),
          theirsPerSecond: of('theirs', (run) => run.perSecond),
          oursRssMb: ours.rssMb(),
          theirsRssMb: other.rssMb(),
        },
      ),
    );
  }
  return rows;
}
