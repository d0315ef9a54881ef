import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { api, type SavedRequest } from '../../api/client.ts';
import { useIsAdmin } from '../../api/queries.ts';
import { Button } from '../../components/Button.tsx';
import { Dialog } from '../../components/Dialog.tsx';
import { Checkbox, Form, TextField } from '../../components/fields.tsx';
import { useToast } from '../../components/Toasts.tsx';

/** A tool with arguments to save, or a saved request to rename. */
export type RequestDraft = Pick<SavedRequest, 'name' | 'tool' | 'arguments' | 'shared'> & { readonly id?: string };

export interface SaveRequestDialogProps {
  readonly draft: RequestDraft;
  readonly onClose: () => void;
}

/** Asks for the name and the audience of a saved request. */
export function SaveRequestDialog({ draft, onClose }: SaveRequestDialogProps) {
  const client = useQueryClient();
  const toast = useToast();
  const isAdmin = useIsAdmin();
  const form = useId();
  const [name, setName] = useState(draft.name);
  const [shared, setShared] = useState(draft.shared);
  const saving = useMutation({
    mutationFn() {
      const { id, tool, arguments: args } = draft;
      if (id !== undefined) {
        const body = { name: name.trim(), shared: isAdmin ? shared : undefined };
        return api.updateSavedRequest({ path: { request: id }, body });
      }
      return api.saveRequest({ body: { name: name.trim(), tool, arguments: args, shared } });
    },
    onSuccess() {
      toast('Saved. Find it under Calls → Saved requests.');
      onClose();
    },
    onError: toast.error,
    onSettled: () => client.invalidateQueries({ queryKey: ['saved-requests'] }),
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title={draft.id === undefined ? 'Save as request' : 'Rename the request'}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={form} look="primary" busy={saving.isPending} disabled={name.trim() === ''}>
            Save
          </Button>
        </>
      }
    >
      <Form id={form} className="flex flex-col gap-4" onSubmit={() => saving.mutate()}>
        <TextField label="Name" required maxLength={100} value={name} onChange={setName} />
        {isAdmin && (
          <Checkbox
            label="Share with everyone"
            hint="All callers who can use the tool see the request and its arguments."
            checked={shared}
            onChange={setShared}
          />
        )}
      </Form>
    </Dialog>
  );
}
