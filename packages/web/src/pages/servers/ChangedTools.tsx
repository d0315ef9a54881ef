import { Check, X } from 'lucide-react';
import { api, type Tool } from '../../api/client.ts';
import { Badge } from '../../components/Badge.tsx';
import { Button } from '../../components/Button.tsx';
import { Card } from '../../components/Card.tsx';
import { DefinitionDifference } from '../../components/DefinitionDifference.tsx';
import { safeText } from '../../components/safe-text.ts';
import { useAction } from '../../components/use-action.ts';
import { plural } from '../../text/plural.ts';

export interface ChangedToolsProps {
  readonly tools: readonly Tool[];
  readonly isAdmin: boolean;
}

const maxShown = 50;

/** The tools whose definition changed since it was accepted, with buttons to accept or reject the change. */
export function ChangedTools({ tools, isAdmin }: ChangedToolsProps) {
  if (tools.length === 0) {
    return <p className="text-ink-soft">No changed tools. If the server changes a tool, you review the change here.</p>;
  }
  return (
    <ul aria-label="Changed tools" className="flex flex-col gap-3">
      {tools.slice(0, maxShown).map((tool) => (
        <li key={tool.name}>
          <ChangedTool tool={tool} isAdmin={isAdmin} />
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

function ChangedTool({ tool, isAdmin }: { readonly tool: Tool; readonly isAdmin: boolean }) {
  const { name, originalName, title, changed, changes = [], rejected, definitionHash } = tool;
  const shownName = safeText(title ?? originalName, 100);
  const deciding = useAction({
    run(verb: 'accept' | 'reject') {
      const decision = { path: { tool: name }, body: { definitionHash } };
      return verb === 'accept' ? api.acceptToolChange(decision) : api.rejectToolChange(decision);
    },
    done: (_tool, verb) =>
      verb === 'accept'
        ? `The change of '${shownName}' is accepted.`
        : `The change of '${shownName}' is rejected. The tool is blocked.`,
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
        ) : (
          changed !== undefined && <Badge tone="warn">{effects[changed]}</Badge>
        )}
      </div>
      <DefinitionDifference changes={changes} />
      {isAdmin && (
        <div className="mt-3 flex flex-wrap gap-2">
          <Button
            size="small"
            look="primary"
            busy={busy === 'accept'}
            disabled={deciding.isPending}
            onClick={() => deciding.mutate('accept')}
            icon={Check}
          >
            Accept change
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
              Reject change
            </Button>
          )}
        </div>
      )}
    </Card>
  );
}
