import { useQuery, useQueryClient } from '@tanstack/react-query';
import { CircleCheck, Plug, Plus, X } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { Assistant } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { Button, ButtonLink, IconButton } from '../../components/Button.tsx';
import { useToast } from '../../components/Toasts.tsx';
import { text } from '../../text/text.ts';
import { starterPrompts } from '../chat/starter-prompts.ts';
import { useStartConversation } from '../chat/use-start-conversation.ts';

const storageKey = 'toolwharf.welcome';

/** The first steps for a new user, until dismissed. */
export function WelcomePanel() {
  const [isDismissed, setDismissed] = useState(() => localStorage.getItem(storageKey) === 'dismissed');
  const assistants = useQuery({ ...queries.assistants(), enabled: !isDismissed }).data;
  const steps = useFinishedSteps(!isDismissed);
  if (isDismissed) return null;
  const demo = assistants?.find(({ model }) => model.provider === 'demo');
  return (
    <section aria-labelledby="welcome" className="rounded-lg border border-accent/40 bg-accent-soft p-4">
      <div className="flex items-start justify-between gap-3">
        <div>
          <h2 id="welcome" className="text-base">
            {text.overview.welcomePanel.getStarted}
          </h2>
          <p className="text-ink-soft">{text.overview.welcomePanel.allToolsAllMcp}</p>
        </div>
        <IconButton
          label={text.overview.welcomePanel.hidePanel}
          size="small"
          onClick={() => {
            localStorage.setItem(storageKey, 'dismissed');
            setDismissed(true);
          }}
        >
          <X aria-hidden />
        </IconButton>
      </div>
      <ol className="mt-3 grid grid-cols-1 gap-3 md:grid-cols-3">
        <Step
          title={text.overview.welcomePanel.tryDemo}
          isDone={steps.hasChatted}
          action={
            demo ? (
              <StartDemo assistant={demo}>{text.overview.welcomePanel.chatDemoAssistant}</StartDemo>
            ) : (
              <ButtonLink href="/chat" look="primary">
                {text.overview.welcomePanel.chatAssistant}
              </ButtonLink>
            )
          }
        >
          {demo ? text.overview.welcomePanel.demoAssistantNeedsNo : text.overview.welcomePanel.assistantCallsToolsShows}
        </Step>
        <Step
          title={text.overview.welcomePanel.addTools}
          isDone={steps.hasServer}
          action={
            <ButtonLink href="/servers?add">
              <Plus aria-hidden />
              {text.overview.welcomePanel.addServer}
            </ButtonLink>
          }
        >
          {text.overview.welcomePanel.connectLocalCommandUrl}
        </Step>
        <Step
          title={text.overview.welcomePanel.useOtherApps}
          isDone={steps.hasClient}
          action={
            <ButtonLink href="/settings/connect">
              <Plug aria-hidden />
              {text.overview.welcomePanel.connectClient}
            </ButtonLink>
          }
        >
          {text.overview.welcomePanel.claudeCursorVsCode}
        </Step>
      </ol>
    </section>
  );
}

/** Which of the steps this gateway has seen. */
function useFinishedSteps(enabled: boolean) {
  const conversations = useQuery({ ...queries.conversations(), enabled }).data;
  const servers = useQuery({ ...queries.servers(), enabled }).data;
  const health = useQuery({ ...queries.health(), enabled }).data;
  return {
    hasChatted: (conversations?.length ?? 0) > 0,
    hasServer: servers?.some(({ source }) => source !== 'default') === true,
    hasClient: (health?.sessions ?? 0) > 0,
  };
}

interface StepProps {
  readonly title: string;
  readonly isDone: boolean;
  readonly children: ReactNode;
  readonly action: ReactNode;
}

function Step({ title, isDone, children, action }: StepProps) {
  return (
    <li className="flex flex-col items-start gap-2 rounded-md border border-line bg-surface p-3 **:whitespace-normal">
      <h3 className="flex items-center gap-1.5">
        {title}
        {isDone && (
          <>
            <CircleCheck aria-hidden className="size-4 text-good" />
            <span className="sr-only"> ({text.overview.welcomePanel.done})</span>
          </>
        )}
      </h3>
      <p className="flex-1 text-ink-soft">{children}</p>
      {action}
    </li>
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
