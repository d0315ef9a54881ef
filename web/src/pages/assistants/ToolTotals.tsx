import { useQuery } from '@tanstack/react-query';
import { queries } from '../../api/queries.ts';
import { Notice } from '../../components/ErrorNotice.tsx';
import { safeText } from '../../components/safe-text.ts';
import type { useToolPreview } from './assistant-queries.ts';

const shownProblems = 20;

/** How many tools the assistant gets and what they cost, with a word about what is odd. */
export function ToolTotals({ preview: data, isError, isOutdated }: ReturnType<typeof useToolPreview>) {
  const servers = useQuery(queries.servers()).data;
  const nameOf = (id: string) => servers?.find((server) => server.id === id)?.name ?? id;
  return (
    <>
      <p aria-live="polite" aria-busy={isOutdated} className={isOutdated ? 'opacity-60' : undefined}>
        {data && (
          <>
            <strong className="font-semibold tabular-nums">
              {data.count} {data.count === 1 ? 'tool' : 'tools'}
            </strong>
            <span className="text-ink-soft">
              {' '}
              for the model, about {data.estimatedTokens.toLocaleString('en')} tokens with each question
            </span>
          </>
        )}
        {!data && (isError ? 'The tools could not be counted.' : 'Counting the tools …')}
      </p>
      {data?.warning !== undefined && <Notice tone="warn">{data.warning}</Notice>}
      {data && data.missingServers.length > 0 && (
        <Problems
          title={
            data.missingServers.length === 1
              ? 'A server is missing'
              : `${data.missingServers.length} servers are missing`
          }
          problems={data.missingServers.map(({ id, reason }) => ({ name: nameOf(id), reason }))}
        />
      )}
      {data && data.omitted.length > 0 && (
        <Problems
          title={data.omitted.length === 1 ? 'A tool is left out' : `${data.omitted.length} tools are left out`}
          problems={data.omitted}
        />
      )}
    </>
  );
}

interface ProblemsProps {
  readonly title: string;
  readonly problems: readonly { readonly name: string; readonly reason: string }[];
}

function Problems({ title, problems }: ProblemsProps) {
  return (
    <Notice tone="warn" title={title}>
      <ul>
        {problems.slice(0, shownProblems).map(({ name, reason }) => (
          <li key={name}>
            <span className="font-medium">{safeText(name, 100)}</span>: {safeText(reason, 300)}
          </li>
        ))}
      </ul>
      {problems.length > shownProblems && <p>… and {problems.length - shownProblems} more.</p>}
    </Notice>
  );
}
