import { useQuery } from '@tanstack/react-query';
import { Bookmark, Pencil, Play, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { api, type SavedRequest } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { Badge } from '../../components/Badge.tsx';
import { ButtonLink, IconButton } from '../../components/Button.tsx';
import { Card } from '../../components/Card.tsx';
import { RemovalDialog } from '../../components/ConfirmDialog.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { QueryState } from '../../components/QueryState.tsx';
import { safeText } from '../../components/safe-text.ts';
import { toolAddress } from '../../components/tool-address.ts';
import { SaveRequestDialog } from './SaveRequestDialog.tsx';

/** The saved requests: run, rename and delete them. */
export default function SavedRequests() {
  const requests = useQuery(queries.savedRequests());
  const [renaming, setRenaming] = useState<SavedRequest>();
  const [removing, setRemoving] = useState<SavedRequest>();
  if (!requests.data) return <QueryState query={requests} what="saved requests" />;
  if (requests.data.length === 0) {
    return (
      <EmptyState
        icon={Bookmark}
        title="No saved requests yet"
        actions={<ButtonLink href="/calls">Show calls</ButtonLink>}
      >
        Open a call and choose “Save as request” to run it again under a name.
      </EmptyState>
    );
  }
  return (
    <Card>
      <ul aria-label="Saved requests" className="divide-y divide-line">
        {requests.data.map((request) => (
          <li key={request.id} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5">
            <div className="min-w-0 flex-1">
              <p className="flex flex-wrap items-center gap-2 font-medium break-words">
                {safeText(request.name, 100)}
                {request.shared && <Badge tone="info">shared</Badge>}
              </p>
              <p className="truncate font-mono text-xs text-ink-soft">
                {safeText(request.tool, 200)} {safeText(JSON.stringify(request.arguments), 200)}
              </p>
            </div>
            <ButtonLink
              size="small"
              href={toolAddress(request.tool, request.arguments)}
              aria-label={`Run ${request.name}`}
              icon={Play}
            >
              Run …
            </ButtonLink>
            {request.canEdit && (
              <>
                <IconButton
                  label={`Rename ${request.name}`}
                  size="small"
                  onClick={() => setRenaming(request)}
                  icon={Pencil}
                />
                <IconButton
                  label={`Delete ${request.name}`}
                  size="small"
                  onClick={() => setRemoving(request)}
                  icon={Trash2}
                />
              </>
            )}
          </li>
        ))}
      </ul>
      {renaming && <SaveRequestDialog draft={renaming} onClose={() => setRenaming(undefined)} />}
      <RemovalDialog
        item={removing}
        title={({ name }) => `Delete '${safeText(name, 100)}'?`}
        action="Delete"
        remove={({ id }) => api.removeSavedRequest({ path: { request: id } })}
        done="The request was deleted."
        queryKey="saved-requests"
        onClose={() => setRemoving(undefined)}
      >
        {({ shared }) => (
          <p>
            {shared
              ? 'It disappears for everyone. The calls that it made stay in the journal.'
              : 'The calls that it made stay in the journal.'}
          </p>
        )}
      </RemovalDialog>
    </Card>
  );
}
