import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { api } from '../../api/client.ts';
import { Card, CardHeader } from '../../components/Card.tsx';
import { SelectField } from '../../components/fields.tsx';
import { QueryState } from '../../components/QueryState.tsx';
import { safeText } from '../../components/safe-text.ts';
import { TextLink } from '../../components/TextLink.tsx';
import { TimePlot } from '../../pages/overview/TimePlot.tsx';
import { formatNumber, formatTime } from '../../text/formats.ts';
import { plural } from '../../text/plural.ts';
import { policyQueries } from './queries.ts';

type Decisions = Awaited<ReturnType<typeof api.countDecisions>>;
type RuleDecisions = Decisions['rules'][number];

const periods = [
  ['1', 'The last day'],
  ['7', 'The last 7 days'],
  ['30', 'The last 30 days'],
] as const;
const verbs = { deny: 'denied', ask: 'asked', hide: 'hidden', label: 'labelled', redact: 'redacted' };

/** How many calls each rule decided, or would have decided, over time, with links to the latest ones. */
export default function DecisionPlots() {
  const [days, setDays] = useState('7');
  const decisions = useQuery(policyQueries.decisions(Number(days)));
  return (
    <Card aria-label="Decisions over time">
      <CardHeader
        title="Decisions over time"
        hint="The calls that each rule decided, or in shadow mode would have decided."
        actions={<SelectField label="Period" value={days} onChange={setDays} options={[...periods]} />}
      />
      <div className="flex flex-col gap-6 p-4">
        <QueryState query={decisions} what="decisions" />
        {decisions.data?.rules.length === 0 && <p className="text-ink-soft">No rule decided a call in this time.</p>}
        {decisions.data?.rules.map((rule) => (
          <RulePlot key={`${rule.id} ${rule.mode} ${rule.effect}`} rule={rule} decisions={decisions.data} />
        ))}
      </div>
    </Card>
  );
}

function RulePlot({ rule, decisions }: { readonly rule: RuleDecisions; readonly decisions: Decisions }) {
  const { id, mode, effect, calls, latest } = rule;
  const { since, bucketMs } = decisions;
  const name = safeText(id, 100);
  const label = mode === 'shadow' ? `${name} would have ${verbs[effect]}` : `${name} ${verbs[effect]}`;
  const series = useMemo(
    () => [{ label: 'Calls', colour: mode === 'shadow' ? '--accent' : '--bad', shape: 'bars' as const }],
    [mode],
  );
  const starts = useMemo(
    () => calls.map((_, at) => (Date.parse(since) + at * bucketMs) / 1_000),
    [calls, since, bucketMs],
  );
  const bounds = useMemo(
    () => [Date.parse(since) / 1_000, (Date.parse(since) + calls.length * bucketMs) / 1_000] as const,
    [calls, since, bucketMs],
  );
  const values = useMemo(() => [calls], [calls]);
  const total = calls.reduce((sum, count) => sum + count, 0);
  const description = `${label}: ${plural(total, { one: '# call', other: '# calls' })}`;
  return (
    <div>
      <TimePlot
        {...{ title: label, description, series, starts, bounds, values }}
        showsDays={bucketMs > 3_600_000}
        format={formatNumber}
      />
      <ul className="mt-2 flex flex-wrap gap-x-4 gap-y-1 text-xs">
        {latest.map((call) => (
          <li key={call.id}>
            <TextLink href={`/calls/${call.id}`}>{`${safeText(call.tool, 60)}, ${formatTime(call.at)}`}</TextLink>
          </li>
        ))}
      </ul>
    </div>
  );
}
