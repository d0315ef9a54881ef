import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { Badge } from '../../components/Badge.tsx';
import { Card, CardHeader } from '../../components/Card.tsx';
import { Facts, Patterns } from '../../components/FactList.tsx';
import { QueryState } from '../../components/QueryState.tsx';
import { safeText } from '../../components/safe-text.ts';
import { formatNumber, formatSpan } from '../../text/formats.ts';

type Budget = Awaited<ReturnType<typeof api.listBudgets>>['budgets'][number];

const counts = { calls: 'calls', resultBytes: 'bytes of results', scriptSeconds: 'seconds of scripts' };
const refreshMs = 10_000;

/** The budgets, each with what those who used most of it have left. */
export default function BudgetCards() {
  const budgets = useQuery({
    queryKey: ['budgets'],
    queryFn: ({ signal }) => api.listBudgets({ signal }),
    refetchInterval: refreshMs,
  });
  return (
    <>
      <QueryState query={budgets} what="budgets" />
      {budgets.data?.budgets.map((budget) => (
        <BudgetCard key={budget.id} budget={budget} />
      ))}
    </>
  );
}

function BudgetCard({ budget }: { readonly budget: Budget }) {
  const { id, reason, then, mode, max, windowMs, count, sum, tools, when, uses } = budget;
  const name = safeText(id, 100);
  const unit = count === undefined ? `sum of ${safeText(sum ?? '', 200)}` : counts[count];
  return (
    <Card aria-label={name}>
      <CardHeader
        title={
          <span className="flex flex-wrap items-center gap-2">
            <span className="break-words">{name}</span>
            <Badge>Budget</Badge>
            <Badge tone={then === 'deny' ? 'bad' : 'warn'}>{then === 'deny' ? 'Deny' : 'Ask'}</Badge>
            {mode === 'shadow' && <Badge tone="info">Shadow</Badge>}
          </span>
        }
        hint={reason === undefined ? undefined : safeText(reason, 500)}
      />
      <Facts
        facts={[
          ['Maximum', `${formatNumber(max)} (${unit}) in ${formatSpan(windowMs)}`],
          tools !== undefined && ['Tools', <Patterns key="tools" patterns={tools} none="all" />],
          when !== undefined && ['Condition', <code key="when">{safeText(when, 10_000)}</code>],
        ]}
      />
      {uses.length === 0 ? (
        <p className="border-t border-line px-4 py-2 text-ink-soft">Nothing was used in this time.</p>
      ) : (
        <table className="w-full border-t border-line text-left">
          <thead className="text-xs text-ink-soft">
            <tr>
              <th className="px-4 py-1 font-normal">Used by</th>
              <th className="px-4 py-1 text-right font-normal">Used</th>
              <th className="px-4 py-1 text-right font-normal">Left</th>
            </tr>
          </thead>
          <tbody>
            {uses.map(({ subject, used, left }) => {
              const who = Object.values(subject).filter(Boolean).join(', ') || 'All calls';
              return (
                <tr key={who} className="border-t border-line">
                  <td className="px-4 py-1.5 break-words">{safeText(who, 200)}</td>
                  <td className="px-4 py-1.5 text-right tabular-nums">{formatNumber(used)}</td>
                  <td className="px-4 py-1.5 text-right tabular-nums">{formatNumber(left)}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      )}
    </Card>
  );
}
