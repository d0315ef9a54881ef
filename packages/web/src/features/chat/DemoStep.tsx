import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { Assistant } from '../../api/client.ts';
import { Button, ButtonLink } from '../../components/Button.tsx';
import { useToast } from '../../components/Toasts.tsx';
import { WelcomeStep } from '../../pages/overview/WelcomeStep.tsx';
import { chatQueries } from './queries.ts';
import { starterPrompts } from './starter-prompts.ts';
import { useStartConversation } from './use-start-conversation.ts';

/** The first step for new users: a chat with the demo assistant. */
export default function DemoStep() {
  const assistants = useQuery(chatQueries.assistants()).data;
  const conversations = useQuery(chatQueries.conversations()).data;
  const demo = assistants?.find(({ model }) => model.provider === 'demo');
  return (
    <WelcomeStep
      title="Try the demo"
      isDone={(conversations?.length ?? 0) > 0}
      action={
        demo ? (
          <StartDemo assistant={demo}>Chat with the demo assistant</StartDemo>
        ) : (
          <ButtonLink href="/chat" look="primary">
            Chat with an assistant
          </ButtonLink>
        )
      }
    >
      {demo
        ? 'The demo assistant needs no API key and no network. Its answers are scripted; the tools it calls are real.'
        : 'An assistant calls tools for you and shows each call with its result.'}
    </WelcomeStep>
  );
}

/** Starts a conversation with the demo assistant and sends its first suggestion, so that the next click is the approval. */
function StartDemo({ assistant, children }: { readonly assistant: Assistant; readonly children: ReactNode }) {
  const client = useQueryClient();
  const toast = useToast();
  const conversation = useStartConversation();
  const [isLoading, setLoading] = useState(false);

  async function start(): Promise<void> {
    setLoading(true);
    try {
      const [text = ''] = starterPrompts(await client.fetchQuery(chatQueries.preview(assistant)));
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
