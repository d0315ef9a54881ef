import { LogIn, RefreshCw } from 'lucide-react';
import { type ReactNode, useRef, useState } from 'react';
import { api, type ConnectionStatus, type Server } from '../../api/client.ts';
import { Button, ButtonLink, ExternalButtonLink } from '../../components/Button.tsx';
import { CopyButton } from '../../components/CopyButton.tsx';
import { classNames } from '../../components/class-names.ts';
import { ExpandableText } from '../../components/ExpandableText.tsx';
import { Form, Input } from '../../components/fields.tsx';
import { Spinner } from '../../components/Spinner.tsx';
import { safeText } from '../../components/safe-text.ts';
import { TextLink } from '../../components/TextLink.tsx';
import { useNow } from '../../components/times.tsx';
import { useAction } from '../../components/use-action.ts';
import { formatDuration, formatTime } from '../../text/formats.ts';
import { plural } from '../../text/plural.ts';
import { inspectorAddress } from './server-address.ts';
import { type AuthenticationDraft, toDraft, toInput } from './server-draft.ts';
import { describeSaved } from './server-labels.ts';
import type { ServerAction } from './use-server-action.ts';

export interface ServerTroubleProps {
  readonly server: Server;
  /** Only for administrators. */
  readonly action?: ServerAction | undefined;
  readonly onEdit: () => void;
}

/** The problem of a server and what to do about it. Nothing for a healthy server. */
export function ServerTrouble({ server, action, onEdit }: ServerTroubleProps) {
  const { status, problem, enabled } = server;
  const { signInUrl, nextTryAt, failures } = status;
  const reason = useReason(status);
  if (problem !== undefined) {
    return (
      <p className="rounded-md bg-warn-soft px-2.5 py-1.5">
        <ExpandableText text={problem} />
      </p>
    );
  }
  if (server.missingToken !== undefined && action) return <MissingToken server={server} />;
  if (!enabled || reason === undefined) return null;
  const isRetrying = status.state === 'connecting';
  const needsAccount = status.code === 'ACCOUNT_REQUIRED';
  const isBad = isRetrying || (status.state === 'error' && signInUrl === undefined && !needsAccount);
  return (
    <div
      className={classNames('flex flex-col gap-1.5 rounded-md px-2.5 py-1.5', isBad ? 'bg-bad-soft' : 'bg-warn-soft')}
    >
      <p className="min-w-0">
        <ExpandableText text={reason} />
      </p>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-ink-soft">
        {signInUrl !== undefined && <SignInLink url={signInUrl} />}
        {needsAccount && (
          <ButtonLink size="small" look="primary" href={`/accounts?server=${encodeURIComponent(server.name)}`}>
            Connect account
          </ButtonLink>
        )}
        {failures > 1 && <span>{plural(failures, 'failed attempt')}</span>}
        {isRetrying && <Spinner label="Retrying …" />}
        {!isRetrying && nextTryAt !== undefined && <NextAttempt at={nextTryAt} />}
        {action && status.state === 'error' && !needsAccount && (
          <Button
            size="small"
            busy={action.running === 'connect'}
            onClick={() => action.run('connect')}
            icon={RefreshCw}
          >
            Retry now
          </Button>
        )}
      </div>
      {action && status.code?.startsWith('OAUTH_') && (
        <TextLink href={inspectorAddress(server.name, 'sign-in')} className="text-xs">
          Show each step of the sign-in
        </TextLink>
      )}
      {status.cause === 'unauthorized' && signInUrl === undefined && (
        <Credentials server={server} canEdit={action !== undefined} onEdit={onEdit} />
      )}
      {status.cause === 'command-not-found' && <InstallHint server={server} />}
    </div>
  );
}

/** Asks for the token of a default server, which is disabled without one. */
function MissingToken({ server: { name, missingToken = '' } }: { readonly server: Server }) {
  const saving = useAction({
    run: (token: string) => api.setServerToken({ path: { server: name }, body: { token } }),
    done: (saved) => describeSaved(saved, 'Saved'),
    refetch: ['servers'],
  });
  return (
    <div className="rounded-md bg-sunken px-2.5 py-1.5">
      <p className="mb-2 text-ink-soft">{`Needs a token: paste it here, or set ${missingToken} and restart the gateway.`}</p>
      <TokenForm name={name} isBusy={saving.isPending} onSubmit={saving.mutate} />
    </div>
  );
}

interface TokenFormProps {
  readonly name: string;
  readonly isBusy: boolean;
  readonly onSubmit: (token: string) => void;
  /** Other ways to authenticate. */
  readonly children?: ReactNode;
}

function TokenForm({ name, isBusy, onSubmit, children }: TokenFormProps) {
  const [token, setToken] = useState('');
  return (
    <Form
      aria-label={`Credentials for ${safeText(name, 100)}`}
      className="flex flex-wrap items-center gap-2"
      onSubmit={() => onSubmit(token.trim())}
    >
      <Input
        type="password"
        aria-label="Token"
        placeholder="Paste a token"
        autoComplete="off"
        className="h-7! w-56! text-xs"
        value={token}
        onChange={(event) => setToken(event.target.value)}
      />
      <Button type="submit" size="small" look="primary" busy={isBusy} disabled={token.trim() === ''}>
        Save and connect
      </Button>
      {children}
    </Form>
  );
}

interface CredentialsProps {
  readonly server: Server;
  readonly canEdit: boolean;
  readonly onEdit: () => void;
}

/** Asks for the token that the server requires, or starts a sign-in with OAuth. */
function Credentials({ server: { name, record, revision }, canEdit, onEdit }: CredentialsProps) {
  const saving = useAction({
    run(authentication: AuthenticationDraft) {
      const draft = toDraft(record);
      const body = toInput({ ...draft, authentication: { ...draft.authentication, ...authentication } });
      return api.updateServer({ path: { server: name }, body: { ...body, revision } });
    },
    done: (saved) => describeSaved(saved, 'Saved'),
    refetch: ['servers'],
  });
  if (!canEdit) return null;
  if (!record) return <p>Add credentials to this server in the configuration file, under authentication.</p>;
  return (
    <TokenForm name={name} isBusy={saving.isPending} onSubmit={(token) => saving.mutate({ type: 'bearer', token })}>
      <Button size="small" disabled={saving.isPending} onClick={() => saving.mutate({ type: 'oauth' })}>
        Sign in with OAuth
      </Button>
      <Button size="small" look="quiet" onClick={onEdit}>
        Other methods …
      </Button>
    </TokenForm>
  );
}

const installers: readonly (readonly [RegExp, advice: string, command?: string])[] = [
  [/^(npx|npm|node)$/, 'Install Node.js from nodejs.org.'],
  [/^(uvx|uv)$/, 'Install uv:', 'curl -LsSf https://astral.sh/uv/install.sh | sh'],
  [/^(pipx|python3?)$/, 'Install Python from python.org.'],
  [/^(bunx?)$/, 'Install Bun:', 'curl -fsSL https://bun.sh/install | bash'],
  [/^deno$/, 'Install Deno:', 'curl -fsSL https://deno.land/install.sh | sh'],
  [/^docker$/, 'Install Docker from docs.docker.com, and start it.'],
];

/** How to install the missing command. */
function InstallHint({ server: { record, place } }: { readonly server: Server }) {
  const command = record?.command ?? place?.split(' ')[0] ?? '';
  const [, advice, installCommand] = installers.find(([name]) => name.test(command)) ?? [];
  return (
    <div>
      <p>
        {advice ?? `Install ${safeText(command, 100)} on the machine of the gateway, or use its full path.`}
        {installCommand !== undefined && (
          <>
            {' '}
            <code className="text-xs">{installCommand}</code> <CopyButton text={installCommand} what="command" />
          </>
        )}
      </p>
      <p className="text-xs text-ink-soft">
        If it is installed, restart the gateway so that it reads the current PATH.
      </p>
    </div>
  );
}

/** The reason of the failure. It stays during a retry. */
function useReason({ state, reason, failures }: ConnectionStatus): string | undefined {
  const last = useRef<string>(undefined);
  if (reason !== undefined) last.current = reason;
  else if (state !== 'connecting' || failures === 0) last.current = undefined;
  return last.current;
}

/** A countdown to the next connection attempt. */
export function NextAttempt({ at }: { readonly at: string }) {
  const now = useNow(1_000);
  const ms = Date.parse(at) - now;
  const content = ms < 1_000 ? 'Retrying …' : `Next attempt in ${formatWhole(ms)}`;
  return (
    <time dateTime={at} title={formatTime(at)} className="whitespace-nowrap tabular-nums">
      {content}
    </time>
  );
}

function formatWhole(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  return seconds < 60 ? `${seconds} s` : formatDuration(seconds * 1_000);
}

/** Opens the sign-in page of a server. The label names the host, so that a person sees where they sign in. */
export function SignInLink({ url }: { readonly url: string }) {
  const parsed = URL.parse(url);
  if (!parsed || !['http:', 'https:'].includes(parsed.protocol)) {
    return <span>The server sent an invalid sign-in URL.</span>;
  }
  return (
    <ExternalButtonLink href={parsed.href} size="small" icon={LogIn}>
      {`Sign in at ${safeText(parsed.host, 100)}`}
      <span className="sr-only">, opens in a new tab</span>
    </ExternalButtonLink>
  );
}
