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

const pageSize = 50;

/** The list of assistants. */
export function AssistantList({
  assistants,
  canEdit,
}: {
  readonly assistants: readonly Assistant[];
  readonly canEdit: boolean;
}) {
  const servers = useQuery(queries.servers()).data ?? [];
  const providers = useQuery(queries.providers()).data ?? [];
  const [shown, setShown] = useState(pageSize);
  const [deleting, setDeleting] = useState<Assistant>();
  if (assistants.length === 0) return <NoAssistants canEdit={canEdit} />;
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
              canEdit={canEdit}
              onDelete={() => setDeleting(assistant)}
            />
          ))}
        </ul>
      </Card>
      {assistants.length > shown && (
        <Button className="self-center" onClick={() => setShown(shown + pageSize)}>
          Show {Math.min(pageSize, assistants.length - shown)} more of {assistants.length}
        </Button>
      )}
      <DeleteAssistant assistant={deleting} onClose={() => setDeleting(undefined)} />
    </>
  );
}

function NoAssistants({ canEdit }: { readonly canEdit: boolean }) {
  return (
    <Card>
      <EmptyState
        icon={<Bot aria-hidden />}
        title="No assistants yet"
        actions={
          canEdit && (
            <ButtonLink href="/assistants/new" look="primary">
              <Plus aria-hidden />
              New assistant
            </ButtonLink>
          )
        }
      >
        Create an assistant to chat with. The demo needs no API key.
      </EmptyState>
    </Card>
  );
}
