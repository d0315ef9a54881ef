import { ArrowRight } from 'lucide-react';
import type { Approval } from '../api/client.ts';
import { Badge } from './Badge.tsx';
import { safeText } from './safe-text.ts';
import { TextLink } from './TextLink.tsx';

type DataFlow = NonNullable<Approval['flows']>[number];
type DataSource = DataFlow['sources'][number];

export interface DataFlowsProps {
  readonly flows: readonly DataFlow[];
  readonly server: string | undefined;
  readonly tool: string;
}

/** Which earlier call brought labelled data, and where it would go. */
export function DataFlows({ flows, server, tool }: DataFlowsProps) {
  return (
    <section aria-label="Data flow" className="flex min-w-0 flex-col gap-2">
      {flows.map(({ id, labels, within, sources }) => (
        <div key={id} className="flex min-w-0 flex-col gap-1">
          <p className="text-xs text-ink-soft">
            {within === 'arguments'
              ? `The arguments contain ${safeText(labels.join(', '), 200)} data:`
              : `The conversation has ${safeText(labels.join(', '), 200)} data:`}
          </p>
          <DataSources sources={sources} server={server} tool={tool} />
        </div>
      ))}
    </section>
  );
}

interface DataSourcesProps {
  readonly sources: readonly DataSource[];
  readonly server: string | undefined;
  readonly tool: string;
}

/** The path of data from earlier calls to a call. */
export function DataSources({ sources, server, tool }: DataSourcesProps) {
  return (
    <ul className="flex min-w-0 flex-col gap-1">
      {sources.map((source) => (
        <li key={source.call ?? ''} className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
          <SourceLink source={source} />
          {source.labels.map((label) => (
            <Badge key={label} tone="warn">
              {safeText(label, 100)}
            </Badge>
          ))}
          <ArrowRight aria-label="to" className="size-4 shrink-0 text-ink-faint" />
          <code className="text-xs break-all">{nameOf(server, tool)}</code>
          <span className="text-xs text-ink-faint">{placeOf(source)}</span>
        </li>
      ))}
    </ul>
  );
}

function SourceLink({ source: { call, server, tool = '', origins } }: { readonly source: DataSource }) {
  if (call === undefined) return <span className="text-ink-soft">Earlier calls that are not listed any more</span>;
  const of = origins?.map((one) => nameOf(one.server, one.tool)).join(', ');
  return (
    <span className="min-w-0">
      <TextLink href={`/calls/${encodeURIComponent(call)}`} className="font-mono text-xs break-all">
        {nameOf(server, tool)}
      </TextLink>
      {of !== undefined && of !== '' && <span className="text-xs text-ink-faint">{` with data of ${of}`}</span>}
    </span>
  );
}

function placeOf({ kind, argument }: DataSource): string {
  if (kind === 'reference') return 'by reference';
  if (kind === 'unknown') return 'not all of the result is known';
  const place = argument === undefined || argument === '' ? 'the arguments' : safeText(argument, 200);
  return kind === 'encoded' ? `encoded, in ${place}` : `in ${place}`;
}

const nameOf = (server: string | undefined, tool: string) =>
  safeText(server === undefined ? tool : `${server}/${tool}`, 200);
