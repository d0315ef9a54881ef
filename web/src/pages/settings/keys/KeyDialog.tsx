import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/api.ts';
import type { NewApiKey } from '../../../api/client.ts';
import { Button } from '../../../components/Button.tsx';
import { CopyButton } from '../../../components/CopyButton.tsx';
import { Dialog } from '../../../components/Dialog.tsx';
import { Notice } from '../../../components/ErrorNotice.tsx';
import { safeText } from '../../../components/safe-text.ts';
import { emptyKey, KeyFields, toKeyInput } from './KeyFields.tsx';

/** Creates a key and shows it once. */
export function KeyDialog({ onClose }: { readonly onClose: () => void }) {
  const [draft, setDraft] = useState(emptyKey);
  const client = useQueryClient();
  const creating = useMutation({
    mutationFn: () => api.createKey({ body: toKeyInput(draft) }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['keys'] }),
    // The key is dropped when the dialog closes.
    gcTime: 0,
  });
  if (creating.data) return <NewKey created={creating.data} onClose={onClose} />;
  return (
    <Dialog
      open
      onClose={onClose}
      title="New key"
      description="The key is shown once, after it is created."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form="key" look="primary" busy={creating.isPending}>
            Create key
          </Button>
        </>
      }
    >
      <form
        id="key"
        noValidate
        aria-label="Key"
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          creating.mutate();
        }}
      >
        <KeyFields
          draft={draft}
          error={creating.error}
          onChange={(change) => setDraft((current) => ({ ...current, ...change }))}
        />
      </form>
    </Dialog>
  );
}

/** Shows the new key once. */
function NewKey({ created, onClose }: { readonly created: NewApiKey; readonly onClose: () => void }) {
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Key for ${safeText(created.name, 100)}`}
      footer={
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <div className="flex flex-col gap-3">
        <Notice tone="warn" title="Copy the key now">
          The key is shown only once. Anyone who has it can use it until you revoke it.
        </Notice>
        <div className="flex items-center gap-2 rounded-md border border-line bg-sunken px-3 py-2">
          <code className="min-w-0 flex-1 break-all select-all">{created.key}</code>
          <CopyButton text={created.key} what="key">
            Copy
          </CopyButton>
        </div>
      </div>
    </Dialog>
  );
}
