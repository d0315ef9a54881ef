import { Check, X } from 'lucide-react';
import { api, type Tool } from '../../api/client.ts';
import { Badge } from '../../components/Badge.tsx';
import { Button } from '../../components/Button.tsx';
import { Card } from '../../components/Card.tsx';
import { DefinitionDifference } from '../../components/DefinitionDifference.tsx';
import { DefinitionWarnings } from '../../components/DefinitionWarnings.tsx';
import { safeText } from '../../components/safe-text.ts';
import { useAction } from '../../components/use-action.ts';
import { plural } from '../../text/plural.ts';

export interface ChangedToolsProps {
  readonly tools: readonly Tool[];
  readonly mayAccept: boolean;
}

const maxShown = 50;

/** New tools, and those whose definition changed since it was accepted, with buttons to accept or reject them. */
export function ChangedTools({ tools, mayAccept }: ChangedToolsProps) {
  if (tools.length === 0) {
    return (
      <p className="text-ink-soft">
        No changed or new tools. If the server changes a tool, you review the change here.
      </p>
    );
  }
  return (
    <ul aria-label="Changed tools" className="flex flex-col gap-3">
      {tools.slice(0, maxShown).map((tool) => (
        <li key={tool.name}>
          <ChangedTool tool={tool} mayAccept={mayAccept} />
        </li>
      ))}
      {tools.length > maxShown && (
        <li className="text-ink-soft">{`${plural(tools.length - maxShown, 'more tool')}, shown after you decide about these.`}</li>
      )}
    </ul>
  );
}

const effects = {
  quarantine: 'Blocked until accepted',
  ask: 'Needs approval',
} as const;

function ChangedTool({ tool, mayAccept }: { readonly tool: Tool; readonly mayAccept: boolean }) {
  const { name, originalName, title, changed, isNew, warnings, changes = [], rejected, definitionHash } = tool;
  const shownName = safeText(title ?? originalName, 100);
  const subject = isNew ? `The new tool '${shownName}'` : `The change of '${shownName}'`;
  const what = isNew ? 'tool' : 'change';
  const deciding = useAction({
    run(verb: 'accept' | 'reject') {
      const decision = { path: { tool: name }, body: { definitionHash } };
      return verb === 'accept' ? api.acceptToolChange(decision) : api.rejectToolChange(decision);
    },
    done: (_tool, verb) =>
      verb === 'accept' ? `${subject} is accepted.` : `${subject} is rejected. The tool is blocked.`,
    refetch: ['tools', 'pins', 'rules'],
  });
  const busy = deciding.isPending ? deciding.variables : undefined;
  return (
    <Card aria-label={shownName} className="p-3">
      <div className="mb-2 flex flex-wrap items-center gap-2">
        <h3 className="text-sm break-all">{shownName}</h3>
        <code className="text-xs break-all text-ink-faint">{safeText(name, 200)}</code>
        {rejected ? (
          <Badge tone="bad">Rejected</Badge>
        ) : isNew ? (
          <Badge tone="warn">New, waiting for review</Badge>
        ) : (
          changed !== undefined && <Badge tone="warn">{effects[changed]}</Badge>
        )}
      </div>
      {isNew && warnings !== undefined && (
        <div className="mb-2">
          <DefinitionWarnings warnings={warnings} />
        </div>
      )}
      <DefinitionDifference changes={changes} />
      {mayAccept && (
        <div className="mt-3 flex flex-wrap gap-2">
          <Button
            size="small"
            look="primary"
            busy={busy === 'accept'}
            disabled={deciding.isPending}
            onClick={() => deciding.mutate('accept')}
            icon={Check}
          >
            {`Accept ${what}`}
          </Button>
          {!rejected && (
            <Button
              size="small"
              look="danger"
              busy={busy === 'reject'}
              disabled={deciding.isPending}
              onClick={() => deciding.mutate('reject')}
              icon={X}
            >
              {`Reject ${what}`}
            </Button>
          )}
        </div>
      )}
    </Card>
  );
}
