import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Check, X } from 'lucide-react';
import { api } from '../../api/api.ts';
import type { Tool } from '../../api/client.ts';
import { Badge } from '../../components/Badge.tsx';
import { Button } from '../../components/Button.tsx';
import { Card } from '../../components/Card.tsx';
import { DefinitionDifference } from '../../components/DefinitionDifference.tsx';
import { messageOf } from '../../components/ErrorNotice.tsx';
import { safeText } from '../../components/safe-text.ts';
import { useToast } from '../../components/Toasts.tsx';

const effects = {
  quarantine: 'Not usable until accepted',
  ask: 'Asks before the next call',
} as const;

/** A tool whose definition changed: what is different, and the decision on it. */
export function ChangedTool({ tool, isAdmin }: { readonly tool: Tool; readonly isAdmin: boolean }) {
  const { name, originalName, title, changed, changes = [], rejected, definitionHash } = tool;
  const client = useQueryClient();
  const toast = useToast();
  const shownName = safeText(title ?? originalName, 100);
  const deciding = useMutation({
    mutationFn: (verb: 'accept' | 'reject') => {
      const decision = { path: { tool: name }, body: { definitionHash } };
      return verb === 'accept' ? api.acceptToolChange(decision) : api.rejectToolChange(decision);
    },
    onSuccess: (_tool, verb) =>
      toast(
        verb === 'accept'
          ? `'${shownName}' is accepted as it is now.`
          : `'${shownName}' is rejected: it can't be called.`,
      ),
    onError: (error) => toast.error(new Error(safeText(messageOf(error), 1_000))),
    onSettled: () =>
      Promise.all(['tools', 'pins', 'rules'].map((key) => client.invalidateQueries({ queryKey: [key] }))),
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
          >
            <Check aria-hidden />
            Accept the change
          </Button>
          {!rejected && (
            <Button
              size="small"
              look="danger"
              busy={busy === 'reject'}
              disabled={deciding.isPending}
              onClick={() => deciding.mutate('reject')}
            >
              <X aria-hidden />
              Reject the change
            </Button>
          )}
        </div>
      )}
    </Card>
  );
}
