import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { Assistant } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { Button } from '../../components/Button.tsx';
import { useToast } from '../../components/Toasts.tsx';
import { starterPrompts } from '../chat/starter-prompts.ts';
import { useStartConversation } from '../chat/use-start-conversation.ts';

/** Starts a conversation with the demo assistant and sends its first suggestion, so that the next click is the approval. */
export function StartDemo({ assistant, children }: { readonly assistant: Assistant; readonly children: ReactNode }) {
  const client = useQueryClient();
  const toast = useToast();
  const conversation = useStartConversation();
  const [isLoading, setLoading] = useState(false);

  async function start(): Promise<void> {
    setLoading(true);
    try {
      const [text = ''] = starterPrompts(await client.fetchQuery(queries.preview(assistant)));
      conversation.mutate({ assistantId: assistant.id, text });
    } catch (error) {
      toast.error(error);
    } finally {
      setLoading(false);
    }
  }

  return (
    <Button look="primary" disabled={isLoading || conversation.isPending} onClick={() => void start()}>
      {children}
    </Button>
  );
}
