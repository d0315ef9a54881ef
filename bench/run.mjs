// `npm run bench`: measures Toolwharf relative to the same work without it, and records the results.
// -- --only calls,lists   some sections    --quick   shorter, noisier    --record   adds to results.md and results.json
// -- --document           writes the tables of docs/guide/performance.md, those of the measured sections
// -- --check              fails where a ratio is worse than the recorded one by more than the noise of both
// -- --against URL --tool NAME [--authorization TEXT]   another gateway beside ours, in the same run
// -- --against mcp-hub,mcp-proxy,supergateway --installed FOLDER   those gateways, started from the folder's node_modules
// -- --installed FOLDER   where `npm install @ai-sdk/mcp` was run, for the section `library`, and with `bin/mcp-proxy` of
//                         `cargo install mcp-proxy --root FOLDER`, for the section `against`
// -- --minutes 10         the length of the steady load
import { parseArgs } from 'node:util';
import { compare } from './parts/compare.mjs';
import { updateDocument } from './parts/document.mjs';
import { currentLoad, describeMachine } from './parts/machine.mjs';
import { keep, printTable, readRecorded } from './parts/report.mjs';

// With this variable, which some machines set, every Node process parses all certificates of a file when it starts.
delete process.env.NODE_EXTRA_CA_CERTS;

const names = [
  'upstreams',
  'cold',
  'patterns',
  'against',
  'steady',
  'allocation',
  'calls',
  'lists',
  'sizes',
  'starts',
  'library',
  'sleep',
  'sandbox',
  'memory',
  'queue',
  'journal',
  'policy',
  'fleet',
  'storms',
  'bodies',
  'growth',
  'commands',
  'scale',
];
const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    quick: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
    document: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
    against: { type: 'string' },
    tool: { type: 'string' },
    authorization: { type: 'string' },
    installed: { type: 'string' },
    minutes: { type: 'string' },
    json: { type: 'string' },
  },
});
const isUrl = values.against?.includes('://') ?? false;
if (isUrl && values.tool === undefined) throw new Error('--against URL needs --tool: which tool to call there');
if (values.against !== undefined && !isUrl && values.installed === undefined)
  throw new Error('--against with names needs --installed: the folder in which `npm install` installed them');
const minutes = Number(values.minutes ?? (values.quick ? 0.5 : 1));
if (!(minutes > 0)) throw new Error('--minutes must be a positive number');

const settings = {
  ...(values.quick
    ? { repeats: 3, ms: 800, journalCalls: 50_000 }
    : { repeats: 5, ms: 3_000, journalCalls: 1_000_000 }),
  steadyMs: minutes * 60_000,
  others: isUrl ? [] : (values.against?.split(',') ?? []),
  installed: values.installed,
  ...(isUrl && { against: { url: values.against, tool: values.tool, authorization: values.authorization } }),
};
const chosen = values.only?.split(',') ?? names;
const unknown = chosen.find((name) => !names.includes(name));
if (unknown !== undefined) throw new Error(`There is no section '${unknown}': ${names.join(', ')}`);

const rows = [];
const loadBefore = currentLoad();
for (const name of chosen) {
  const { title, measure } = await import(`./sections/${name}.mjs`);
  console.error(`${title} ...`);
  try {
    const found = await measure(settings);
    printTable(title, found);
    rows.push(...found);
  } catch (cause) {
    console.error(`${title} failed:`, cause);
    process.exitCode = 1;
  }
}
const results = { ...describeMachine(), quick: values.quick, loadBefore, loadAfter: currentLoad(), rows };
if (values.record || values.json !== undefined) keep(results, { record: values.record, json: values.json });
if (values.document) updateDocument(results);
if (values.check && compare(readRecorded(), results) !== 0) process.exitCode = 1;
