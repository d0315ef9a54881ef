import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/api.ts';
import { Button } from '../../../components/Button.tsx';
import { Dialog } from '../../../components/Dialog.tsx';
import { KeyFields } from './KeyFields.tsx';
import { emptyKey, toKeyInput } from './key-draft.ts';
import { NewKey } from './NewKey.tsx';

/** Makes a key and shows it, this once. */
export function KeyDialog({ onClose }: { readonly onClose: () => void }) {
  const [draft, setDraft] = useState(emptyKey);
  const client = useQueryClient();
  const making = useMutation({
    mutationFn: () => api.createKey({ body: toKeyInput(draft) }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['keys'] }),
    // The key itself is kept no longer than it is shown.
    gcTime: 0,
  });
  if (making.data) return <NewKey made={making.data} onClose={onClose} />;
  return (
    <Dialog
      open
      onClose={onClose}
      title="New key"
      description="It is shown once, when it is made."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form="key" look="primary" busy={making.isPending}>
            Make key
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
          making.mutate();
        }}
      >
        <KeyFields
          draft={draft}
          error={making.error}
          onChange={(change) => setDraft((before) => ({ ...before, ...change }))}
        />
      </form>
    </Dialog>
  );
}
