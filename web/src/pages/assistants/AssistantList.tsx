import { useQuery } from '@tanstack/react-query';
import { Bot, Plus } from 'lucide-react';
import { useState } from 'react';
import type { Assistant } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { Button, ButtonLink } from '../../components/Button.tsx';
import { Card } from '../../components/Card.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { AssistantRow } from './AssistantRow.tsx';
import { DeleteAssistant } from './DeleteAssistant.tsx';

const step = 50;

export function AssistantList({
  assistants,
  mayChange,
}: {
  readonly assistants: readonly Assistant[];
  readonly mayChange: boolean;
}) {
  const servers = useQuery(queries.servers()).data ?? [];
  const providers = useQuery(queries.providers()).data ?? [];
  const [shown, setShown] = useState(step);
  const [deleting, setDeleting] = useState<Assistant>();
  if (assistants.length === 0) return <NoAssistants mayChange={mayChange} />;
  const serverNames = new Map(servers.map(({ id, name }) => [id, name]));
  const providerNames = new Map(providers.map(({ id, name }) => [id, name]));
  return (
    <>
      <Card>
        <ul aria-label="Assistants" className="divide-y divide-line">
          {assistants.slice(0, shown).map((assistant) => (
            <AssistantRow
              key={assistant.id}
              assistant={assistant}
              serverNames={serverNames}
              providerNames={providerNames}
              mayChange={mayChange}
              onDelete={() => setDeleting(assistant)}
            />
          ))}
        </ul>
      </Card>
      {assistants.length > shown && (
        <Button className="self-center" onClick={() => setShown(shown + step)}>
          Show {Math.min(step, assistants.length - shown)} more of {assistants.length}
        </Button>
      )}
      <DeleteAssistant assistant={deleting} onClose={() => setDeleting(undefined)} />
    </>
  );
}

function NoAssistants({ mayChange }: { readonly mayChange: boolean }) {
  return (
    <Card>
      <EmptyState
        icon={<Bot aria-hidden />}
        title="No assistants"
        actions={
          mayChange && (
            <ButtonLink href="/assistants/new" look="primary">
              <Plus aria-hidden />
              New assistant
            </ButtonLink>
          )
        }
      >
        An assistant is who you chat with. It can start on the demo model, which needs no key.
      </EmptyState>
    </Card>
  );
}
