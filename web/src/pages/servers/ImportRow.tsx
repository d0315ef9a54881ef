import type { ImportedServer } from '../../api/client.ts';
import { Badge, StatusBadge } from '../../components/Badge.tsx';
import { Button } from '../../components/Button.tsx';
import { Checkbox } from '../../components/fields.tsx';
import { ServerStatus } from '../../components/ServerStatus.tsx';
import { safeText } from '../../components/safe-text.ts';
import { countOf, offersOf, transportOf } from './server-words.ts';
import type { ImportStep } from './use-import.ts';

export interface ImportRowProps {
  readonly server: ImportedServer;
  /** What to know before it is added. */
  readonly problems: readonly string[];
  /** Why it can't be added as it is. */
  readonly obstacle: string | undefined;
  readonly step: ImportStep | undefined;
  readonly isChosen: boolean;
  readonly onChoose: (isWanted: boolean) => void;
  readonly onReview: () => void;
}

/** One server that was found: what would be added, and what became of it. */
export function ImportRow({ server, problems, obstacle, step, isChosen, onChoose, onReview }: ImportRowProps) {
  const { name, transport } = server;
  const secrets = secretsOf(server);
  const isOver = step?.kind === 'added' || step?.kind === 'adding';
  return (
    <div className="flex flex-wrap items-start justify-between gap-2 py-2.5">
      <div className="flex min-w-0 flex-1 basis-60 flex-col gap-1">
        <Checkbox
          label={<span className="font-semibold break-all">{safeText(name, 100)}</span>}
          checked={obstacle === undefined && isChosen}
          disabled={isOver || obstacle !== undefined}
          onChange={onChoose}
        />
        <div className="flex flex-col gap-1 pl-6">
          <p className="text-xs text-ink-soft">
            <Badge>{transportOf(transport)}</Badge> <code className="break-all">{safeText(targetOf(server), 500)}</code>
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
        {!isOver && (
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
          {status.state === 'connected' && <span className="text-ink-soft">{offersOf(offers)}</span>}
        </span>
      );
    }
  }
}

function targetOf({ transport, command = '', args = [], url = '' }: ImportedServer): string {
  if (transport !== 'stdio') return url.replace(/\?.*$/s, '?…');
  return [command, ...args.map((arg) => (typeof arg === 'string' ? arg : '…'))].join(' ');
}

/** Which secrets come with it: how many, never what they are. */
function secretsOf({ env = {}, headers = {}, authentication, enabled = true }: ImportedServer): string {
  const variables = Object.keys(env).length;
  const lines = Object.keys(headers).length;
  return [
    variables > 0 && countOf(variables, 'environment variable'),
    lines > 0 && countOf(lines, 'header'),
    authentication && authentication.type !== 'none' && `${authentication.type} authentication`,
    !enabled && 'switched off',
  ]
    .filter(Boolean)
    .join(', ');
}
