import { useState } from 'react';
import { api, type SavedRequest } from '../../api/client.ts';
import { useMay } from '../../api/queries.ts';
import { FormDialog } from '../../components/FormDialog.tsx';
import { Checkbox, TextField } from '../../components/fields.tsx';
import { useAction } from '../../components/use-action.ts';

/** A tool with arguments to save, or a saved request to rename. */
export type RequestDraft = Pick<SavedRequest, 'name' | 'tool' | 'arguments' | 'shared'> & { readonly id?: string };

export interface SaveRequestDialogProps {
  readonly draft: RequestDraft;
  readonly onClose: () => void;
}

/** Asks for the name and the audience of a saved request. */
export function SaveRequestDialog({ draft, onClose }: SaveRequestDialogProps) {
  const mayShare = useMay('requests.share');
  const [name, setName] = useState(draft.name);
  const [shared, setShared] = useState(draft.shared);
  const saving = useAction({
    run() {
      const { id, tool, arguments: args } = draft;
      if (id === undefined) return api.saveRequest({ body: { name: name.trim(), tool, arguments: args, shared } });
      const body = { name: name.trim(), shared: mayShare ? shared : undefined };
      return api.updateSavedRequest({ path: { request: id }, body });
    },
    done: 'Saved. Find it under Calls → Saved requests.',
    refetch: ['saved-requests'],
    onSuccess: onClose,
  });
  return (
    <FormDialog
      onClose={onClose}
      title={draft.id === undefined ? 'Save as request' : 'Rename the request'}
      busy={saving.isPending}
      disabled={name.trim() === ''}
      onSubmit={saving.mutate}
    >
      <TextField label="Name" required maxLength={100} value={name} onChange={setName} />
      {mayShare && (
        <Checkbox
          label="Share with everyone"
          hint="All callers who can use the tool see the request and its arguments."
          checked={shared}
          onChange={setShared}
        />
      )}
    </FormDialog>
  );
}
