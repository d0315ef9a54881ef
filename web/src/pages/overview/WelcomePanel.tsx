import { useQuery } from '@tanstack/react-query';
import { Plug, Plus, X } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { queries } from '../../api/queries.ts';
import { ButtonLink, IconButton } from '../../components/Button.tsx';
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
            Get started
          </h2>
          <p className="text-ink-soft">
            All tools of all MCP servers in one place: connected, validated, approved, recorded.
          </p>
        </div>
        <IconButton
          label="Hide this panel"
          size="small"
          onClick={() => {
            localStorage.setItem(storageKey, 'dismissed');
            setDismissed(true);
          }}
        >
          <X aria-hidden />
        </IconButton>
      </div>
      <ol className="mt-3 grid gap-3 md:grid-cols-3">
        <Step
          title="Try the demo"
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
        </Step>
        <Step
          title="Add your tools"
          action={
            <ButtonLink href="/servers?add">
              <Plus aria-hidden />
              Add a server
            </ButtonLink>
          }
        >
          Connect a local command or a URL, or import the configuration of another MCP client.
        </Step>
        <Step
          title="Use from other apps"
          action={
            <ButtonLink href="/settings/connect">
              <Plug aria-hidden />
              Connect a client
            </ButtonLink>
          }
        >
          Claude, Cursor, VS Code and your own programs reach all tools at one URL.
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
    <li className="flex flex-col items-start gap-2 rounded-md border border-line bg-surface p-3">
      <h3>{title}</h3>
      <p className="flex-1 text-ink-soft">{children}</p>
      {action}
    </li>
  );
}
