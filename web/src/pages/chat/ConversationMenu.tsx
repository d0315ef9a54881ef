import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Pencil, Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { api } from '../../api/api.ts';
import type { Conversation } from '../../api/client.ts';
import { Button } from '../../components/Button.tsx';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { Dialog } from '../../components/Dialog.tsx';
import { messageOf } from '../../components/ErrorNotice.tsx';
import { Field, Input } from '../../components/fields.tsx';
import { Menu } from '../../components/Menu.tsx';
import { safeText } from '../../components/safe-text.ts';
import { useToast } from '../../components/Toasts.tsx';

export interface ConversationMenuProps {
  readonly conversation: Conversation;
  readonly trigger: ReactNode;
}

/** The menu to rename or delete a conversation. */
export function ConversationMenu({ conversation, trigger }: ConversationMenuProps) {
  const [open, setOpen] = useState<'rename' | 'delete'>();
  const close = () => setOpen(undefined);
  return (
    <>
      <Menu
        trigger={trigger}
        items={[
          { label: 'Rename', icon: <Pencil aria-hidden />, onSelect: () => setOpen('rename') },
          { label: 'Delete', icon: <Trash2 aria-hidden />, danger: true, onSelect: () => setOpen('delete') },
        ]}
      />
      {open === 'rename' && <RenameDialog conversation={conversation} onClose={close} />}
      {open === 'delete' && <DeleteDialog conversation={conversation} onClose={close} />}
    </>
  );
}

interface DialogProps {
  readonly conversation: Conversation;
  readonly onClose: () => void;
}

const formId = 'rename-conversation';

function RenameDialog({ conversation, onClose }: DialogProps) {
  const client = useQueryClient();
  const [title, setTitle] = useState(conversation.title);
  const rename = useMutation({
    mutationFn: () =>
      api.updateConversation({ path: { conversation: conversation.id }, body: { title: title.trim() } }),
    async onSuccess() {
      await client.invalidateQueries({ queryKey: ['conversations'] });
      onClose();
    },
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title="Rename conversation"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} look="primary" busy={rename.isPending} disabled={title.trim() === ''}>
            Rename
          </Button>
        </>
      }
    >
      <form
        id={formId}
        onSubmit={(event) => {
          event.preventDefault();
          rename.mutate();
        }}
      >
        <Field label="Title" required error={rename.isError ? messageOf(rename.error) : undefined}>
          {(props) => (
            <Input {...props} maxLength={200} value={title} onChange={(event) => setTitle(event.target.value)} />
          )}
        </Field>
      </form>
    </Dialog>
  );
}

function DeleteDialog({ conversation, onClose }: DialogProps) {
  const client = useQueryClient();
  const toast = useToast();
  const [location, navigate] = useLocation();
  const remove = useMutation({
    mutationFn: () => api.removeConversation({ path: { conversation: conversation.id } }),
    async onSuccess() {
      if (location === `/chat/${conversation.id}`) navigate('/chat');
      toast('Conversation deleted');
      await client.invalidateQueries({ queryKey: ['conversations'] });
    },
    onError: toast.error,
    onSettled: onClose,
  });
  return (
    <ConfirmDialog
      open
      title="Delete this conversation?"
      action="Delete"
      busy={remove.isPending}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      “{safeText(conversation.title, 200)}” and all its messages will be deleted permanently. Its calls stay in the
      journal.
    </ConfirmDialog>
  );
}
