// Steady load under random faults, then the comparison of everything: npm run soak -- --minutes 20 [--clients 6] [--json FILE]
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { runSoak } from './support/run-soak.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '20' },
    clients: { type: 'string', default: '6' },
    json: { type: 'string' },
  },
});
const stop = new AbortController();
process.once('SIGINT', () => stop.abort());
const report = await runSoak({
  minutes: Number(values.minutes),
  clients: Number(values.clients),
  signal: stop.signal,
  onProgress: (line) => console.log(line),
});
const { growth, findings, missing, faults, ...figures } = report;
console.table(figures);
console.table(faults);
console.table(growth);
console.log(`findings: ${findings.length}, missing: ${missing.length}`);
if (findings.length + missing.length > 0) console.log(JSON.stringify({ findings, missing }, null, 2).slice(0, 20_000));
console.log(JSON.stringify({ ...figures, faults, growth, findings: findings.length }));
if (values.json) await writeFile(values.json, `${JSON.stringify(report, null, 2)}\n`);
process.exitCode = report.isGood ? 0 : 1;
