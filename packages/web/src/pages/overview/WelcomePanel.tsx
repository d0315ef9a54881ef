import { useQuery } from '@tanstack/react-query';
import { Plug, Plus, X } from 'lucide-react';
import { Suspense, useState } from 'react';
import { queries, useMay } from '../../api/queries.ts';
import { ButtonLink, IconButton } from '../../components/Button.tsx';
import { useSlot } from '../../shell/feature.ts';
import { WelcomeStep } from './WelcomeStep.tsx';

const storageKey = 'toolwharf.welcome';

/** The first steps for a new user, until dismissed. */
export function WelcomePanel() {
  const [isDismissed, setDismissed] = useState(() => localStorage.getItem(storageKey) === 'dismissed');
  const FirstStep = useSlot('firstStep');
  const steps = useFinishedSteps(!isDismissed);
  const mayAddServers = useMay('servers.write');
  if (isDismissed) return null;
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
          icon={X}
        />
      </div>
      <ol className="mt-3 grid grid-cols-1 gap-3 md:grid-cols-3">
        {FirstStep && (
          <Suspense fallback={<li />}>
            <FirstStep />
          </Suspense>
        )}
        {mayAddServers && (
          <WelcomeStep
            title="Add your tools"
            isDone={steps.hasServer}
            action={
              <ButtonLink href="/servers?add" icon={Plus}>
                Add a server
              </ButtonLink>
            }
          >
            Connect a local command or a URL, or import the configuration of another MCP client.
          </WelcomeStep>
        )}
        <WelcomeStep
          title="Use from other apps"
          isDone={steps.hasClient}
          action={
            <ButtonLink href="/settings/connect" icon={Plug}>
              Connect a client
            </ButtonLink>
          }
        >
          Claude, Cursor, VS Code and your own programs reach all tools at one URL.
        </WelcomeStep>
      </ol>
    </section>
  );
}

/** Which of the steps this gateway has seen. */
function useFinishedSteps(enabled: boolean) {
  const servers = useQuery({ ...queries.servers(), enabled }).data;
  const health = useQuery({ ...queries.health(), enabled }).data;
  return {
    hasServer: servers?.some(({ source }) => source !== 'default') === true,
    hasClient: (health?.sessions ?? 0) > 0,
  };
}
