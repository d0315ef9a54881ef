import type { ImportedServer, ImportedServers } from '../../api/client.ts';
import { Badge, StatusBadge } from '../../components/Badge.tsx';
import { Button } from '../../components/Button.tsx';
import { Checkbox } from '../../components/fields.tsx';
import { LongList } from '../../components/LongList.tsx';
import { ServerStatus } from '../../components/ServerStatus.tsx';
import { safeText } from '../../components/safe-text.ts';
import { plural } from '../../text/plural.ts';
import { describeOffers, transportLabels } from './server-labels.ts';
import type { ImportStep } from './use-import.ts';

export interface ImportListProps {
  readonly servers: readonly ImportedServer[];
  readonly problems: ImportedServers['problems'];
  readonly steps: ReadonlyMap<string, ImportStep>;
  /** The names of existing servers. */
  readonly taken: ReadonlySet<string>;
  readonly mayAddPrograms: boolean;
  /** The names of the deselected servers. */
  readonly excluded: ReadonlySet<string>;
  readonly onExcludedChange: (excluded: ReadonlySet<string>) => void;
  readonly onReview: (server: ImportedServer) => void;
}

/** The servers found in the pasted configuration. */
export function ImportList(props: ImportListProps) {
  const { servers, problems, steps, taken, mayAddPrograms, excluded, onExcludedChange, onReview } = props;

  function select(name: string, isSelected: boolean): void {
    const next = new Set(excluded);
    if (isSelected) next.delete(name);
    else next.add(name);
    onExcludedChange(next);
  }

  function findObstacle({ name, transport }: ImportedServer): string | undefined {
    if (steps.get(name)?.kind === 'added') return undefined;
    if (taken.has(name)) return 'A server with this name exists. Review it to change the name.';
    if (transport === 'stdio' && !mayAddPrograms) return 'Local servers cannot be added. See above.';
    return undefined;
  }

  return (
    <section aria-label="Servers found" className="rounded-lg border border-line px-3">
      <LongList label="Servers found" items={servers} keyOf={({ name }) => name} estimate={96}>
        {(server) => (
          <ImportRow
            server={server}
            problems={problems.flatMap(({ name, message }) => (name === server.name ? [message] : []))}
            obstacle={findObstacle(server)}
            step={steps.get(server.name)}
            isSelected={!excluded.has(server.name)}
            onSelect={(isSelected) => select(server.name, isSelected)}
            onReview={() => onReview(server)}
          />
        )}
      </LongList>
    </section>
  );
}

interface ImportRowProps {
  readonly server: ImportedServer;
  /** Warnings about the server. */
  readonly problems: readonly string[];
  /** Why the server cannot be added. */
  readonly obstacle: string | undefined;
  readonly step: ImportStep | undefined;
  readonly isSelected: boolean;
  readonly onSelect: (isSelected: boolean) => void;
  readonly onReview: () => void;
}

function ImportRow({ server, problems, obstacle, step, isSelected, onSelect, onReview }: ImportRowProps) {
  const { name, transport } = server;
  const secrets = describeSecrets(server);
  const isDone = step?.kind === 'added' || step?.kind === 'adding';
  return (
    <div className="flex flex-wrap items-start justify-between gap-2 py-2.5">
      <div className="flex min-w-0 flex-1 basis-60 flex-col gap-1">
        <Checkbox
          label={<span className="font-semibold break-all">{safeText(name, 100)}</span>}
          checked={obstacle === undefined && isSelected}
          disabled={isDone || obstacle !== undefined}
          onChange={onSelect}
        />
        <div className="flex flex-col gap-1 pl-6">
          <p className="text-xs text-ink-soft">
            <Badge>{transportLabels[transport]}</Badge>{' '}
            <code className="break-all">{safeText(describeTarget(server), 500)}</code>
          </p>
          {secrets !== '' && <p className="text-xs text-ink-faint">{secrets}</p>}
          {problems.map((problem) => (
            <p key={problem} className="text-xs break-words text-warn">
              {safeText(problem, 500)}
            </p>
          ))}
          {obstacle !== undefined && <p className="text-xs text-warn">{obstacle}</p>}
          {step?.kind === 'failed' && (
            <p role="alert" className="text-xs break-words text-bad">
              {safeText(step.message, 1_000)}
            </p>
          )}
        </div>
      </div>
      <div className="flex items-center gap-2 pl-6 sm:pl-0">
        <Progress step={step} />
        {!isDone && (
          <Button size="small" onClick={onReview}>
            Review
          </Button>
        )}
      </div>
    </div>
  );
}

function Progress({ step }: { readonly step: ImportStep | undefined }) {
  switch (step?.kind) {
    case undefined:
      return null;
    case 'adding':
      return (
        <StatusBadge tone="info" pulsing>
          Adding
        </StatusBadge>
      );
    case 'failed':
      return <StatusBadge tone="bad">Not added</StatusBadge>;
    case 'added': {
      const { status, enabled, offers } = step.server;
      return (
        <span className="flex flex-wrap items-center gap-2 text-xs">
          Added <ServerStatus status={status} enabled={enabled} />
          {status.state === 'connected' && <span className="text-ink-soft">{describeOffers(offers)}</span>}
        </span>
      );
    }
  }
}

function describeTarget({ transport, command = '', args = [], url = '' }: ImportedServer): string {
  if (transport !== 'stdio') return url.replace(/\?.*$/s, '?…');
  return [command, ...args.map((arg) => (typeof arg === 'string' ? arg : '…'))].join(' ');
}

/** The number of secrets, without their values. */
function describeSecrets({ env = {}, headers = {}, authentication, enabled = true }: ImportedServer): string {
  const variables = Object.keys(env).length;
  const lines = Object.keys(headers).length;
  return [
    variables > 0 && plural(variables, 'environment variable'),
    lines > 0 && plural(lines, 'header'),
    authentication && authentication.type !== 'none' && `${authentication.type} authentication`,
    !enabled && 'disabled',
  ]
    .filter(Boolean)
    .join(', ');
}
