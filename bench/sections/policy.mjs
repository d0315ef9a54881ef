// What rules of a policy cost a call, and how long recorded calls take to replay.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { openStorage } from '../../packages/gateway/core/storage/open-storage.ts';
import { createRecordedCalls } from '../../packages/gateway/features/policy/recorded-call.ts';
import { replayPage } from '../../packages/gateway/features/policy/replay.ts';
import { compileRules } from '../../packages/toolwharf/features/policy/compile-rules.ts';
import { judge } from '../../packages/toolwharf/features/policy/judge.ts';
import { createSealer } from '../../packages/toolwharf/storage/sealer.ts';
import { row } from '../parts/statistics.mjs';
import { inWorkplace } from '../parts/workplace.mjs';
import { fill } from './journal.mjs';

export const title = 'Policies';

const maxMsPerCall = 0.1;
const maxMinutesPerMillion = 2;
const conditions = [
  "call.server == 'mail' && !call.args.to.endsWith('@example.com')",
  "call.tool == 'write' && has(call.args.path) && !call.args.path.matches('^/srv/[a-z0-9/]*$')",
  "call.tool == 'pay' && call.args.amount > 1000",
  "call.args.text.contains('secret') && !('finance' in person.groups)",
];

export function measure({ repeats, journalCalls }) {
  return inWorkplace(async ({ directory }) => {
    const key = randomBytes(32);
    const file = join(directory, 'data', 'toolwharf.db');
    const open = () => openStorage({ kind: 'sqlite', file, sealer: createSealer(key) });
    await (await open()).close();
    fill(file, journalCalls);
    const storage = await open();
    try {
      return [judgeCalls(repeats), await replayCalls(storage, journalCalls)];
    } finally {
      await storage.close();
    }
  });
}

/** The processor time of this process, which other load on the machine does not lengthen. */
function cpuMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

function compile(count) {
  const rules = Array.from({ length: count }, (_, number) => ({
    ...{ id: `rule-${number}`, when: conditions[number % conditions.length], then: 'ask' },
    ...{ mode: 'enforce', onFailure: 'allow', examples: [] },
  }));
  return compileRules(rules, ({ message }) => {
    throw new Error(message);
  });
}

function judgeCalls(repeats) {
  const rules = compile(200);
  const call = { tool: 'files__write', originalName: 'write', server: 'files', caller: { id: 'ada' } };
  const facts = {
    ...call,
    arguments: { path: '/srv/notes', text: 'a harmless note', amount: 20, to: 'ada@example.com' },
  };
  const calls = 2_000;
  const run = () => {
    const since = cpuMs();
    for (let number = 0; number < calls; number++) judge(rules, facts, new Date());
    return (cpuMs() - since) / calls;
  };
  run();
  const times = Array.from({ length: repeats }, run);
  const ratios = times.map((ms) => ms / maxMsPerCall);
  return row(
    'policy',
    `processor time of 200 rules for a call to ${maxMsPerCall} ms`,
    ratios,
    { ms: Math.min(...times) },
    { budget: 1 },
  );
}

/** Verifies the journal and replays it, as `toolwharf policy replay` does. */
async function replayCalls({ audit, journal }, calls) {
  const since = cpuMs();
  for await (const { detail } of audit.verify()) throw new Error(detail);
  const toRecorded = createRecordedCalls({
    toolbox: { catalog: { find: () => undefined }, approvals: { pins: async () => [] } },
    persons: { find: async () => undefined, callersOf: async ({ id }) => [id] },
    journal,
  });
  const { signal } = new AbortController();
  let judged = 0;
  for (let after = 0; after !== undefined; ) {
    const page = await replayPage(compile(10), { audit, find: journal.get, toRecorded, signal, after });
    judged += page.judged;
    after = page.next;
  }
  if (judged !== calls) throw new Error(`${judged} of ${calls} calls were judged`);
  const minutes = ((cpuMs() - since) / 60_000 / calls) * 1_000_000;
  const what = `processor time to verify and replay a million calls to ${maxMinutesPerMillion} minutes`;
  return row('policy', what, [minutes / maxMinutesPerMillion], { minutes, calls }, { budget: 1 });
}
