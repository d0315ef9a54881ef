import { Link } from 'wouter';
import type { CallStats } from '../../api/client.ts';
import { Card, CardHeader } from '../../components/Card.tsx';
import { safeText } from '../../components/safe-text.ts';
import { formatDuration } from '../../components/times.tsx';
import { toolAddress } from '../tools/tool-address.ts';
import { type Range, ranges } from './overview-queries.ts';

export interface BusiestToolsProps {
  readonly stats: CallStats | undefined;
  readonly range: Range;
}

const maxShown = 8;

/** The most called tools with their failures and median duration. */
export function BusiestTools({ stats, range }: BusiestToolsProps) {
  const tools = stats?.tools.slice(0, maxShown) ?? [];
  return (
    <Card aria-label="Busiest tools">
      <CardHeader title="Busiest tools" hint={`In ${ranges[range].description}`} />
      {stats && tools.length === 0 && <p className="px-4 py-3 text-ink-soft">No calls in this time range.</p>}
      {tools.length > 0 && (
        <table className="w-full table-fixed text-left">
          <thead className="text-xs text-ink-soft">
            <tr className="border-b border-line *:py-1.5 *:font-medium">
              <th scope="col" className="pl-4">
                Tool
              </th>
              <th scope="col" className="w-14 text-right">
                Calls
              </th>
              <th scope="col" className="w-16 text-right">
                Failed
              </th>
              <th scope="col" className="w-20 pr-4 text-right" title="Median call duration">
                Median
              </th>
            </tr>
          </thead>
          <tbody className="tabular-nums">
            {tools.map(({ tool, calls, error, p50Ms }) => (
              <tr key={tool} className="border-b border-line last:border-0 *:py-1.5">
                <th scope="row" className="truncate pl-4 font-normal">
                  <Link href={toolAddress(tool)} className="font-mono text-xs hover:underline">
                    {safeText(tool, 150)}
                  </Link>
                </th>
                <td className="text-right">{calls.toLocaleString('en')}</td>
                <td className={error > 0 ? 'text-right text-bad' : 'text-right text-ink-faint'}>{error}</td>
                <td className="pr-4 text-right">{p50Ms === undefined ? '–' : formatDuration(p50Ms)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Card>
  );
}
