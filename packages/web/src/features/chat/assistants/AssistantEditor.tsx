import { Copy, MessagesSquare, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { type Assistant, api } from '../../../api/client.ts';
import { useIsAdmin } from '../../../api/queries.ts';
import { Button, ButtonLink } from '../../../components/Button.tsx';
import { EditorForm, useEditor } from '../../../components/EditorForm.tsx';
import { Notice } from '../../../components/ErrorNotice.tsx';
import { Page } from '../../../components/Page.tsx';
import { randomId } from '../../../components/random-id.ts';
import { chatAddress } from '../chat-address.ts';
import { AssistantFields } from './AssistantFields.tsx';
import { type AssistantDraft, toDraft, toInput } from './assistant-draft.ts';
import { DeleteAssistant } from './DeleteAssistant.tsx';

export interface AssistantEditorProps {
  readonly title: string;
  /** Undefined for a new assistant. */
  readonly assistant?: Assistant;
  readonly draft: AssistantDraft;
}

/** The form of an assistant. */
export function AssistantEditor({ title, assistant, draft: initial }: AssistantEditorProps) {
  const [newId] = useState(randomId);
  const [isDeleting, setDeleting] = useState(false);
  const [, navigate] = useLocation();
  const canEdit = useIsAdmin();
  const id = assistant?.id ?? newId;
  const editor = useEditor({
    noun: 'assistant',
    stored: assistant,
    initial,
    toDraft,
    toBody: toInput,
    save: (body) => api.putAssistant({ path: { assistant: id }, body }),
    keyOf: (stored: Assistant) => stored.id,
  });
  return (
    <Page
      title={title}
      actions={
        assistant && (
          <>
            {canEdit && (
              <>
                <ButtonLink href={`/assistants/new?copy=${id}`} look="quiet" icon={Copy}>
                  Duplicate
                </ButtonLink>
                <Button look="quiet" onClick={() => setDeleting(true)} icon={Trash2}>
                  Delete
                </Button>
              </>
            )}
            {editor.isChanged ? (
              <Button look="primary" disabled title="Save your changes first">
                Chat
              </Button>
            ) : (
              <ButtonLink href={chatAddress(id)} look="primary" icon={MessagesSquare}>
                Chat
              </ButtonLink>
            )}
          </>
        )
      }
    >
      {!canEdit && <Notice title="Read-only">Only administrators can edit assistants.</Notice>}
      <EditorForm editor={editor} canEdit={canEdit}>
        <AssistantFields {...editor.fields} />
      </EditorForm>
      <DeleteAssistant
        assistant={isDeleting ? assistant : undefined}
        onClose={() => setDeleting(false)}
        onDeleted={() => navigate('/assistants')}
      />
    </Page>
  );
}
