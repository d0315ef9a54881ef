import { useQuery } from '@tanstack/react-query';
import { LogOut } from 'lucide-react';
import { api, type Server, type SignIn, type SignInAttempt, type SignInStep } from '../../../api/client.ts';
import { queries } from '../../../api/queries.ts';
import { Badge, type Tone } from '../../../components/Badge.tsx';
import { Button } from '../../../components/Button.tsx';
import { Card, CardHeader } from '../../../components/Card.tsx';
import { EmptyState } from '../../../components/EmptyState.tsx';
import { Notice } from '../../../components/ErrorNotice.tsx';
import { Fact, Facts } from '../../../components/Facts.tsx';
import { JsonView } from '../../../components/JsonView.tsx';
import { QueryState } from '../../../components/QueryState.tsx';
import { safeText } from '../../../components/safe-text.ts';
import { TimeAgo } from '../../../components/times.tsx';
import { useAction } from '../../../components/use-action.ts';
import { formatDuration, formatTime } from '../../../text/formats.ts';
import { SignInLink } from '../ServerTrouble.tsx';

const reasonTexts = { 'sign-in': 'Sign-in', renewal: 'Token renewal', scope: 'Request for more rights' };

const outcomes: Readonly<Record<SignInAttempt['outcome'], readonly [Tone, string]>> = {
  running: ['info', 'running'],
  waiting: ['warn', 'waiting for a person'],
  'signed-in': ['good', 'signed in'],
  renewed: ['good', 'renewed'],
  failed: ['bad', 'failed'],
};

const kinds: Readonly<Record<SignInStep['kind'], readonly [title: string, about: string]>> = {
  challenge: ['Challenge of the server', 'The server refused a request (HTTP 401 or 403) and named what it requires.'],
  'resource-metadata': [
    'Discovery: protected resource',
    'The server publishes which authorization server issues its tokens (RFC 9728).',
  ],
  'server-metadata': [
    'Discovery: authorization server',
    'The authorization server publishes its endpoints and abilities (RFC 8414).',
  ],
  registration: ['Client registration', 'The gateway registers itself as a client (RFC 7591).'],
  authorization: ['Authorization request', 'A person is sent to this URL to sign in and consent.'],
  redirect: ['Redirect from the browser', 'The browser returned with these parameters.'],
  token: ['Token request', 'The gateway exchanges the code for tokens.'],
  refresh: ['Token refresh', 'The gateway exchanges the refresh token for new tokens.'],
  other: ['Other request', 'A request to another endpoint.'],
};

/** The stored OAuth sign-in to a server, and each step of the latest attempts. */
export function SignInSteps({ server }: { readonly server: Server }) {
  const signIn = useQuery(queries.signIn(server.name));
  if (!signIn.data) return <QueryState query={signIn} what="sign-in" />;
  if (!signIn.data.usesOAuth)
    return (
      <EmptyState title="This server does not sign in with OAuth">
        Set its authentication to OAuth to sign in.
      </EmptyState>
    );
  const { signInUrl } = server.status;
  return (
    <div className="flex flex-col gap-4">
      <StoredSignIn server={server.name} signIn={signIn.data} />
      {signInUrl !== undefined && (
        <Notice tone="warn">
          <p className="mb-2">A person has to sign in. The server connects when the browser returns.</p>
          <SignInLink url={signInUrl} />
        </Notice>
      )}
      {signIn.data.attempts.length === 0 && (
        <p className="text-ink-soft">The gateway has made no attempt to sign in since it started.</p>
      )}
      {signIn.data.attempts.map((attempt, index) => (
        <Attempt key={`${attempt.startedAt} ${attempt.reason}`} attempt={attempt} isLatest={index === 0} />
      ))}
    </div>
  );
}

interface StoredSignInProps {
  readonly server: string;
  readonly signIn: SignIn;
}

function StoredSignIn({ server, signIn: { tokens, client } }: StoredSignInProps) {
  const signingOut = useAction({
    run: () => api.signOut({ path: { server } }),
    done: 'Signed out. The server requires a new sign-in.',
    refetch: ['servers'],
  });
  return (
    <Card>
      <CardHeader
        title="Stored sign-in"
        actions={
          (tokens || client) && (
            <Button
              size="small"
              look="danger"
              busy={signingOut.isPending}
              onClick={() => signingOut.mutate()}
              icon={LogOut}
            >
              Sign out of the server
            </Button>
          )
        }
      />
      <div className="p-4">
        <Facts>
          <Fact name="Authorization server">{safeText(tokens?.issuer ?? 'Not signed in', 500)}</Fact>
          {client && (
            <Fact name="Client">
              <code className="break-all">{safeText(client.clientId, 500)}</code>{' '}
              <Badge>{client.isRegistered ? 'registered automatically' : 'configured'}</Badge>
            </Fact>
          )}
          {tokens?.scope !== undefined && <Fact name="Scope">{safeText(tokens.scope, 1_000)}</Fact>}
          {tokens && (
            <Fact name="Token expires">
              {tokens.expiresAt === undefined ? 'not stated' : formatTime(tokens.expiresAt)}
              {tokens.canRenew ? `, then renewed automatically` : ''}
            </Fact>
          )}
        </Facts>
      </div>
    </Card>
  );
}

function Attempt({ attempt, isLatest }: { readonly attempt: SignInAttempt; readonly isLatest: boolean }) {
  const { reason, outcome, startedAt, error, steps } = attempt;
  const [tone, result] = outcomes[outcome];
  return (
    <details open={isLatest} className="rounded-lg border border-line bg-surface">
      <summary className="cursor-pointer px-4 py-2.5">
        <span className="inline-flex flex-wrap items-center gap-2">
          <span className="font-semibold">{reasonTexts[reason]}</span>
          <Badge tone={tone}>{result}</Badge>
          <span className="text-xs text-ink-faint">
            <TimeAgo at={startedAt} />
          </span>
        </span>
      </summary>
      <div className="border-t border-line px-4 py-3">
        {error !== undefined && (
          <p className="mb-3 rounded-md bg-warn-soft px-2.5 py-1.5 break-words">{safeText(error, 1_000)}</p>
        )}
        <ol className="flex flex-col gap-2">
          {steps.map((step, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: steps are only appended
            <li key={index}>
              <Step step={step} number={index + 1} />
            </li>
          ))}
        </ol>
      </div>
    </details>
  );
}

function Step({ step, number }: { readonly step: SignInStep; readonly number: number }) {
  const { kind, request, response, received, durationMs, error } = step;
  const [title, about] = kinds[kind];
  const isBad = error !== undefined || (response !== undefined && response.status >= 400);
  const content = { request, response, received, error };
  return (
    <details className="rounded-md border border-line">
      <summary className="cursor-pointer px-3 py-1.5">
        <span className="inline-flex max-w-[calc(100%-1.5rem)] flex-wrap items-center gap-x-2 align-top">
          <span className="text-ink-faint tabular-nums">{number}</span>
          <span className="font-medium">{title}</span>
          {response && <Badge tone={isBad ? 'bad' : 'good'}>{response.status}</Badge>}
          {error !== undefined && <Badge tone="bad">failed</Badge>}
          {durationMs !== undefined && <span className="text-xs text-ink-faint">{formatDuration(durationMs)}</span>}
          {request && <code className="w-full truncate text-xs text-ink-soft">{safeText(originOf(request), 300)}</code>}
        </span>
      </summary>
      <div className="border-t border-line p-3">
        <p className="mb-2 text-xs text-ink-soft">{about}</p>
        <JsonView value={JSON.parse(JSON.stringify(content))} what={title} />
      </div>
    </details>
  );
}

function originOf({ method, url }: NonNullable<SignInStep['request']>): string {
  return `${method} ${url.replace(/\?.*$/s, '')}`;
}
