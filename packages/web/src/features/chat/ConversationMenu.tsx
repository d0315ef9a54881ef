import { Braces, FileDown, Pencil, Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { api, type Conversation } from '../../api/client.ts';
import { RemovalDialog } from '../../components/ConfirmDialog.tsx';
import { messageOf } from '../../components/ErrorNotice.tsx';
import { FormDialog } from '../../components/FormDialog.tsx';
import { TextField } from '../../components/fields.tsx';
import { Menu } from '../../components/Menu.tsx';
import { safeText } from '../../components/safe-text.ts';
import { useAction } from '../../components/use-action.ts';

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
          { label: 'Rename', icon: Pencil, onSelect: () => setOpen('rename') },
          { label: 'Export as Markdown', icon: FileDown, onSelect: () => download(conversation.id, 'markdown') },
          { label: 'Export as JSON', icon: Braces, onSelect: () => download(conversation.id, 'json') },
          { label: 'Delete', icon: Trash2, danger: true, onSelect: () => setOpen('delete') },
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

function RenameDialog({ conversation, onClose }: DialogProps) {
  const [title, setTitle] = useState(conversation.title);
  const rename = useAction({
    run: () => api.updateConversation({ path: { conversation: conversation.id }, body: { title: title.trim() } }),
    refetch: ['conversations'],
    showsError: true,
    onSuccess: onClose,
  });
  return (
    <FormDialog
      onClose={onClose}
      title="Rename conversation"
      action="Rename"
      busy={rename.isPending}
      disabled={title.trim() === ''}
      onSubmit={rename.mutate}
    >
      <TextField
        label="Title"
        required
        error={rename.isError ? messageOf(rename.error) : undefined}
        maxLength={200}
        value={title}
        onChange={setTitle}
      />
    </FormDialog>
  );
}
