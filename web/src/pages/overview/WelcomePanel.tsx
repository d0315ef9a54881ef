import { useQuery } from '@tanstack/react-query';
import { Plug, Plus, X } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { queries } from '../../api/queries.ts';
import { ButtonLink, IconButton } from '../../components/Button.tsx';
import { text } from '../../text/text.ts';
import { StartDemo } from './StartDemo.tsx';

const storageKey = 'toolwharf.welcome';

/** The first steps for a new user, until dismissed. */
export function WelcomePanel() {
  const [isDismissed, setDismissed] = useState(() => localStorage.getItem(storageKey) === 'dismissed');
  const assistants = useQuery({ ...queries.assistants(), enabled: !isDismissed }).data;
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

interface StepProps {
  readonly title: string;
  readonly children: ReactNode;
  readonly action: ReactNode;
}

function Step({ title, children, action }: StepProps) {
  return (
    <li className="flex flex-col items-start gap-2 rounded-md border border-line bg-surface p-3 **:whitespace-normal">
      <h3>{title}</h3>
      <p className="flex-1 text-ink-soft">{children}</p>
      {action}
    </li>
  );
}
