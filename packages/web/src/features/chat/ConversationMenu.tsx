import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Braces, FileDown, Pencil, Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import type { Conversation } from '../../api/client.ts';
import { api } from '../../api/client.ts';
import { Button } from '../../components/Button.tsx';
import { RemovalDialog } from '../../components/ConfirmDialog.tsx';
import { Dialog } from '../../components/Dialog.tsx';
import { messageOf } from '../../components/ErrorNotice.tsx';
import { Form, TextField } from '../../components/fields.tsx';
import { Menu } from '../../components/Menu.tsx';
import { safeText } from '../../components/safe-text.ts';

export interface ConversationMenuProps {
  readonly conversation: Conversation;
  readonly trigger: ReactNode;
}

/** The menu to rename, export or delete a conversation. */
export function ConversationMenu({ conversation, trigger }: ConversationMenuProps) {
  const [location, navigate] = useLocation();
  const [open, setOpen] = useState<'rename' | 'delete'>();
  const close = () => setOpen(undefined);
  return (
    <>
      <Menu
        trigger={trigger}
        items={[
          { label: 'Rename', icon: <Pencil aria-hidden />, onSelect: () => setOpen('rename') },
          {
            label: 'Export as Markdown',
            icon: <FileDown aria-hidden />,
            onSelect: () => download(conversation.id, 'markdown'),
          },
          {
            label: 'Export as JSON',
            icon: <Braces aria-hidden />,
            onSelect: () => download(conversation.id, 'json'),
          },
          {
            label: 'Delete',
            icon: <Trash2 aria-hidden />,
            danger: true,
            onSelect: () => setOpen('delete'),
          },
        ]}
      />
      {open === 'rename' && <RenameDialog conversation={conversation} onClose={close} />}
      <RemovalDialog
        item={open === 'delete' ? conversation : undefined}
        title={() => 'Delete this conversation?'}
        action="Delete"
        remove={({ id }) => api.removeConversation({ path: { conversation: id } })}
        done="Conversation deleted."
        queryKey="conversations"
        onClose={close}
        onRemoved={({ id }) => location === `/chat/${id}` && navigate('/chat')}
      >
        {({ title }) =>
          `“${safeText(title, 200)}” with all its messages and files will be deleted permanently. Its calls stay in the journal.`
        }
      </RemovalDialog>
    </>
  );
}

/** Saves a conversation as a file. */
function download(conversation: string, format: 'markdown' | 'json'): void {
  const link = document.createElement('a');
  link.href = `/api/conversations/${conversation}/export?format=${format}`;
  link.download = '';
  link.click();
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
      <Form id={formId} onSubmit={() => rename.mutate()}>
        <TextField
          label="Title"
          required
          error={rename.isError ? messageOf(rename.error) : undefined}
          maxLength={200}
          value={title}
          onChange={setTitle}
        />
      </Form>
    </Dialog>
  );
}
