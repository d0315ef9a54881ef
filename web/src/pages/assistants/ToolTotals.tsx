import { useQuery } from '@tanstack/react-query';
import { queries } from '../../api/queries.ts';
import { Notice } from '../../components/ErrorNotice.tsx';
import { pluralize } from '../../components/pluralize.ts';
import { safeText } from '../../components/safe-text.ts';
import type { useToolPreview } from './assistant-queries.ts';

const maxProblems = 20;

/** The number of tools, their token cost and warnings about them. */
export function ToolTotals({ preview: data, isError, isOutdated }: ReturnType<typeof useToolPreview>) {
  const servers = useQuery(queries.servers()).data;
  const serverName = (id: string) => servers?.find((server) => server.id === id)?.name ?? id;
  return (
    <>
      <p aria-live="polite" aria-busy={isOutdated} className={isOutdated ? 'opacity-60' : undefined}>
        {data && (
          <>
            <strong className="font-semibold tabular-nums">{pluralize(data.count, 'tool')}</strong>
            <span className="text-ink-soft">
              {' '}
              for the model, about {data.estimatedTokens.toLocaleString('en')} tokens per message
            </span>
          </>
        )}
        {!data && (isError ? 'Could not count the tools.' : 'Counting tools …')}
      </p>
      {data?.warning !== undefined && <Notice tone="warn">{data.warning}</Notice>}
      {data && data.missingServers.length > 0 && (
        <Problems
          title={`${pluralize(data.missingServers.length, 'server')} unavailable`}
          problems={data.missingServers.map(({ id, reason }) => ({ name: serverName(id), reason }))}
        />
      )}
      {data && data.omitted.length > 0 && (
        <Problems title={`${pluralize(data.omitted.length, 'tool')} left out`} problems={data.omitted} />
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
        {problems.slice(0, maxProblems).map(({ name, reason }) => (
          <li key={name}>
            <span className="font-medium">{safeText(name, 100)}</span>: {safeText(reason, 300)}
          </li>
        ))}
      </ul>
      {problems.length > maxProblems && <p>{problems.length - maxProblems} more.</p>}
    </Notice>
  );
}
