import type { Call } from '../../api/client.ts';
import { saveFile } from '../../components/content/save-file.ts';
import { useAction } from '../../components/use-action.ts';
import { formatNumber } from '../../text/formats.ts';
import { plural } from '../../text/plural.ts';
import { type CallFilter, toQuery } from './call-filter.ts';
import { listPage } from './use-call-list.ts';

// More calls belong in `toolwharf audit export`.
const maxExported = 10_000;

/** Downloads the calls that match a filter, without their results. */
export function useExport(filter: CallFilter) {
  return useAction({
    async run(format: 'csv' | 'jsonl') {
      const calls = await readCalls(filter);
      const [text, type] = format === 'csv' ? [toCsv(calls), 'text/csv'] : [toJsonLines(calls), 'application/jsonl'];
      saveFile(`calls.${format}`, text, type);
      return calls.length;
    },
    done: (count) =>
      count === maxExported
        ? `Exported the latest ${formatNumber(count)} calls. There are more; narrow the filter.`
        : `Exported ${plural(count, 'call')}.`,
  });
}

async function readCalls(filter: CallFilter): Promise<readonly Call[]> {
  const query = toQuery(filter, Date.now());
  const calls: Call[] = [];
  let before: string | undefined;
  do {
    const page = await listPage(query, before);
    calls.push(...page.calls);
    before = page.next;
  } while (before !== undefined && calls.length < maxExported);
  return calls.slice(0, maxExported);
}

const columns: readonly (readonly [string, (call: Call) => unknown])[] = [
  ['id', ({ id }) => id],
  ['created_at', ({ createdAt }) => createdAt],
  ['server', ({ server }) => server],
  ['tool', ({ originalName }) => originalName],
  ['caller', ({ caller }) => caller.name ?? caller.id],
  ['client', ({ caller: { client } }) => (client ? [client.name, client.version].filter(Boolean).join(' ') : '')],
  ['status', ({ status }) => status],
  ['end', ({ end }) => end],
  ['started_at', ({ startedAt }) => startedAt],
  ['completed_at', ({ completedAt }) => completedAt],
  ['error', ({ error }) => error?.code],
  ['rule', ({ rule }) => rule],
  ['approved_by', ({ approval }) => approval?.by],
  ['parent', ({ parent }) => parent?.id],
  ['arguments', (call) => JSON.stringify(call.arguments)],
];

/** The calls as CSV (RFC 4180), with a header. */
export function toCsv(calls: readonly Call[]): string {
  const rows = [columns.map(([name]) => name), ...calls.map((call) => columns.map(([, read]) => toCell(read(call))))];
  return rows.map((row) => `${row.join(',')}\r\n`).join('');
}

function toCell(value: unknown): string {
  const text = value === undefined ? '' : String(value);
  // Spreadsheets run a cell that begins like a formula; an apostrophe makes it text.
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** The calls as JSON, one per line. */
export function toJsonLines(calls: readonly Call[]): string {
  return calls.map((call) => `${JSON.stringify(call)}\n`).join('');
}
