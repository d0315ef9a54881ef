import { useMemo } from 'react';
import type { DefinitionChange } from '../api/client.ts';
import { Badge, type Tone } from './Badge.tsx';
import { classNames } from './class-names.ts';
import { ScrollBox } from './ScrollBox.tsx';
import { safeText } from './safe-text.ts';
import { textDifference } from './text-difference.ts';
import { useFirstPart } from './use-first-part.tsx';

export interface DefinitionDifferenceProps {
  readonly changes: readonly DefinitionChange[];
}

const step = 25;
const maxValueLength = 4_000;

/** The changes of a tool's definition since it was accepted, each with its value before and now. */
export function DefinitionDifference({ changes }: DefinitionDifferenceProps) {
  const [shown, more] = useFirstPart(changes, step);
  if (changes.length === 0) return <p className="text-ink-soft">No visible differences.</p>;
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <ul aria-label="Definition changes" className="flex flex-col gap-2">
        {shown.map((change) => (
          <li
            key={`${change.kind} ${change.path}`}
            className="overflow-hidden rounded-md border border-line bg-surface"
          >
            <Change change={change} />
          </li>
        ))}
      </ul>
      {more}
    </div>
  );
}

const kinds: Readonly<Record<DefinitionChange['kind'], { readonly tone: Tone; readonly word: string }>> = {
  added: { tone: 'good', word: 'Added' },
  removed: { tone: 'bad', word: 'Removed' },
  changed: { tone: 'warn', word: 'Changed' },
};

function Change({ change }: { readonly change: DefinitionChange }) {
  const { tone, word } = kinds[change.kind];
  return (
    <>
      <p className="flex flex-wrap items-center gap-2 border-b border-line px-2.5 py-1.5">
        <Badge tone={tone}>{word}</Badge>
        <code className="min-w-0 text-xs break-all">{formatPath(change.path)}</code>
      </p>
      <Values change={change} />
    </>
  );
}

/** The value before and the value now, with their differences marked. */
function Values({ change }: { readonly change: DefinitionChange }) {
  const { before, after } = change;
  const pieces = useMemo(() => textDifference(textOf(before), textOf(after)), [before, after]);
  const marks = isSimilar(pieces);
  return (
    <ScrollBox label={`Difference of ${formatPath(change.path)}`} className="max-h-72 font-mono text-xs">
      {change.kind !== 'added' && (
        <Side sign="−" word="Before" tone="bg-bad-soft" marked={marks ? 'bg-bad/25' : ''}>
          {pieces.filter(({ kind }) => kind !== 'added')}
        </Side>
      )}
      {change.kind !== 'removed' && (
        <Side sign="+" word="Now" tone="bg-good-soft" marked={marks ? 'bg-good/25' : ''}>
          {pieces.filter(({ kind }) => kind !== 'removed')}
        </Side>
      )}
    </ScrollBox>
  );
}

interface SideProps {
  readonly sign: string;
  readonly word: string;
  readonly tone: string;
  readonly marked: string;
  readonly children: ReturnType<typeof textDifference>;
}

function Side({ sign, word, tone, marked, children }: SideProps) {
  return (
    <div className={classNames('flex gap-2 px-2.5 py-1', tone)}>
      <span aria-hidden className="select-none">
        {sign}
      </span>
      <p className="min-w-0 flex-1 break-words whitespace-pre-wrap">
        <span className="sr-only">{word}: </span>
        {children.map(({ kind, text }, at) =>
          kind === 'same' || marked === '' ? (
            text
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: all pieces are replaced together
            <span key={at} className={classNames('rounded-xs', marked)}>
              {text}
            </span>
          ),
        )}
      </p>
    </div>
  );
}

/** Whether the texts have enough in common for marks to help. */
function isSimilar(pieces: ReturnType<typeof textDifference>): boolean {
  const length = { same: 0, removed: 0, added: 0 };
  for (const { kind, text } of pieces) length[kind] += text.replaceAll(/\s/g, '').length;
  return length.same > 0.4 * (length.same + Math.min(length.removed, length.added));
}

function formatPath(pointer: string): string {
  const parts = pointer.split('/').slice(1);
  return safeText(parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~')).join(' › '), 300);
}

function textOf(value: unknown): string {
  if (value === undefined) return '';
  return safeText(typeof value === 'string' ? value : JSON.stringify(value, null, 2), maxValueLength);
}
