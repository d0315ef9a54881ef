import { useQuery } from '@tanstack/react-query';
import { Plug, Plus, X } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { queries } from '../../api/queries.ts';
import { ButtonLink, IconButton } from '../../components/Button.tsx';
import { ChatWithButton } from '../assistants/ChatWithButton.tsx';

const key = 'toolwharf.welcome';

/** Where to begin, until somebody has seen enough of it. */
export function WelcomePanel() {
  const [isDismissed, setDismissed] = useState(() => localStorage.getItem(key) === 'dismissed');
  const assistants = useQuery({ ...queries.assistants(), enabled: !isDismissed }).data;
  if (isDismissed) return null;
  const demo = assistants?.find(({ model }) => model.provider === 'demo');
  return (
    <section aria-labelledby="welcome" className="rounded-lg border border-accent/40 bg-accent-soft p-4">
      <div className="flex items-start justify-between gap-3">
        <div>
          <h2 id="welcome" className="text-base">
            Where to begin
          </h2>
          <p className="text-ink-soft">
            Every tool of every MCP server in one place: connected, checked, approved, recorded.
          </p>
        </div>
        <IconButton
          label="Do not show this again"
          size="small"
          onClick={() => {
            localStorage.setItem(key, 'dismissed');
            setDismissed(true);
          }}
        >
          <X aria-hidden />
        </IconButton>
      </div>
      <ol className="mt-3 grid gap-3 md:grid-cols-3">
        <Step
          title="See how it goes"
          action={
            demo ? (
              <ChatWithButton assistant={demo.id} look="primary">
                Chat with the demo assistant
              </ChatWithButton>
            ) : (
              <ButtonLink href="/chat" look="primary">
                Chat with an assistant
              </ButtonLink>
            )
          }
        >
          {demo
            ? 'It needs no key and no network: its answers are scripted, the tools it calls are real.'
            : 'It calls tools for you, and shows you each call and its result.'}
        </Step>
        <Step
          title="Bring your tools"
          action={
            <ButtonLink href="/servers?add">
              <Plus aria-hidden />
              Add a server
            </ButtonLink>
          }
        >
          A program on this machine or an address. Or paste the configuration of another client.
        </Step>
        <Step
          title="Use them elsewhere"
          action={
            <ButtonLink href="/settings/connect">
              <Plug aria-hidden />
              Connect a client
            </ButtonLink>
          }
        >
          Claude, Cursor, VS Code or a program of yours gets all of them at one address.
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
