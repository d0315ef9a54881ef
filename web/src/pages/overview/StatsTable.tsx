import type { CallStats } from '../../api/client.ts';
import { formatDuration } from '../../components/times.tsx';

/** What the plots show, in words and numbers. */
export function StatsTable({ stats: { buckets, bucketMs } }: { readonly stats: CallStats }) {
  const busy = buckets.filter(({ success, error, denied }) => success + error + denied > 0);
  return (
    <details>
      <summary className="cursor-pointer text-xs text-ink-soft">As a table</summary>
      {busy.length === 0 ? (
        <p className="mt-2 text-ink-soft">No call ended in this time.</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard
        <section tabIndex={0} aria-label="Calls over time, as a table" className="mt-2 max-h-72 overflow-auto">
          <table className="w-full text-left tabular-nums">
            <caption className="sr-only">
              Calls and how long they took, in parts of {formatDuration(bucketMs)}; parts without calls are left out
            </caption>
            <thead className="text-xs text-ink-soft">
              <tr className="*:px-2 *:py-1 *:font-medium">
                <th scope="col">From</th>
                <th scope="col">Success</th>
                <th scope="col">Failed</th>
                <th scope="col">Denied</th>
                <th scope="col">Median</th>
                <th scope="col">95 %</th>
              </tr>
            </thead>
            <tbody>
              {busy.map(({ start, success, error, denied, p50Ms, p95Ms }) => (
                <tr key={start} className="border-t border-line *:px-2 *:py-1">
                  <th scope="row" className="font-normal whitespace-nowrap">
                    {new Date(start).toLocaleString()}
                  </th>
                  <td>{success}</td>
                  <td>{error}</td>
                  <td>{denied}</td>
                  <td>{p50Ms === undefined ? '–' : formatDuration(p50Ms)}</td>
                  <td>{p95Ms === undefined ? '–' : formatDuration(p95Ms)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </details>
  );
}
