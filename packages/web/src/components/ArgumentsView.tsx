import { isRecord } from './is-record.ts';
import { JsonView } from './JsonView.tsx';
import { ScrollBox } from './ScrollBox.tsx';
import { safeText } from './safe-text.ts';

const maxRows = 40;
const maxInline = 160;

/** The arguments of a call: short ones beside their names, long and nested ones below. */
export function ArgumentsView({ value }: { readonly value: Readonly<Record<string, unknown>> }) {
  const entries = Object.entries(value);
  if (entries.length === 0) return <p className="text-ink-faint">No arguments.</p>;
  if (entries.length > maxRows) return <JsonView value={value} />;
  return (
    <dl className="divide-y divide-line overflow-hidden rounded-md border border-line bg-surface">
      {entries.map(([name, one]) => (
        <div key={name} className="grid gap-x-3 gap-y-1 px-3 py-1.5 sm:grid-cols-[minmax(6rem,12rem)_1fr]">
          <dt className="min-w-0 font-mono text-xs leading-5 break-words text-ink-soft">{safeText(name, 200)}</dt>
          <dd className="min-w-0">
            <Value value={one} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Value({ value }: { readonly value: unknown }) {
  if (isRecord(value) || Array.isArray(value)) return <JsonView value={value} />;
  if (value === '') return <span className="text-ink-faint">empty text</span>;
  if (typeof value !== 'string')
    return <code className="text-xs text-info">{JSON.stringify(value) ?? String(value)}</code>;
  if (value.length <= maxInline && !value.includes('\n')) {
    return <span className="break-words whitespace-pre-wrap">{safeText(value)}</span>;
  }
  return (
    <ScrollBox label="Text" className="max-h-60 rounded bg-sunken px-2 py-1.5">
      <pre className="font-mono text-xs whitespace-pre-wrap">{safeText(value)}</pre>
    </ScrollBox>
  );
}
