import type { FetchLike } from '@modelcontextprotocol/client';
import type { Clock } from '../../kernel/clock.ts';
import { messageOf } from '../../kernel/errors.ts';
import { createRedactor, type Redactor } from '../../kernel/redact.ts';
import { maskBody, maskParams, maskUrl } from './oauth-masks.ts';

/** The steps of a sign-in, in the usual order. `other` is a request to another endpoint. */
export const oauthStepKinds = [
  'challenge',
  'resource-metadata',
  'server-metadata',
  'registration',
  'authorization',
  'redirect',
  'token',
  'refresh',
  'other',
] as const;

/** Why an attempt began: there was no valid token, a token had to be renewed, or the server asked for a wider scope. */
export const oauthReasons = ['sign-in', 'renewal', 'scope'] as const;

/** How an attempt ended; `waiting` until a person has signed in. */
export const oauthOutcomes = ['running', 'waiting', 'signed-in', 'renewed', 'failed'] as const;

/** One step of a sign-in, without secrets. */
export interface OAuthStep {
  readonly kind: (typeof oauthStepKinds)[number];
  readonly at: string;
  readonly durationMs?: number;
  readonly request?: { readonly method: string; readonly url: string; readonly body?: unknown };
  readonly response?: { readonly status: number; readonly body?: unknown };
  /** Received data other than a response: the challenge of the server, or the parameters of the redirect. */
  readonly received?: unknown;
  readonly error?: string;
}

/** One attempt to sign in to a server, or to renew the sign-in. */
export interface OAuthAttempt {
  readonly startedAt: string;
  readonly endedAt?: string;
  readonly reason: (typeof oauthReasons)[number];
  readonly outcome: (typeof oauthOutcomes)[number];
  /** The problem and its remedy. */
  readonly error?: string;
  readonly steps: readonly OAuthStep[];
}

/** Records the steps of the latest sign-ins to one server. */
export interface OAuthTrace {
  begin(reason: OAuthAttempt['reason']): void;
  /** Adds the server's challenge to the current attempt. */
  addChallenge(challenge: { readonly scope?: string; readonly resourceMetadataUrl?: URL }): void;
  /** Adds the URL that a person is sent to. */
  addAuthorization(url: string): void;
  /** Adds the parameters of the redirect; without a current attempt, one begins. */
  addRedirect(params: URLSearchParams): void;
  end(outcome: OAuthAttempt['outcome'], error?: string): void;
  /** The same fetch, which records its requests and responses. */
  record(fetch: FetchLike): FetchLike;
  /** Newest first. */
  attempts(): readonly OAuthAttempt[];
}

const maxAttempts = 5;
const maxSteps = 30;

interface OpenAttempt {
  readonly record: { -readonly [Key in keyof OAuthAttempt]: OAuthAttempt[Key] };
  readonly steps: OAuthStep[];
  /** Servers repeat what they were sent, for example in the description of an error. */
  readonly redactor: Redactor;
}

export function createOAuthTrace(clock: Clock): OAuthTrace {
  const attempts: OpenAttempt[] = [];
  const now = () => new Date(clock.now()).toISOString();

  function begin(reason: OAuthAttempt['reason']): OpenAttempt {
    const steps: OAuthStep[] = [];
    const record = { startedAt: now(), reason, outcome: 'running', steps } as const;
    const attempt = { record: { ...record }, steps, redactor: createRedactor() };
    attempts.unshift(attempt);
    attempts.splice(maxAttempts);
    return attempt;
  }

  /** The current attempt, or a new one. */
  function current(): OpenAttempt {
    const [latest] = attempts;
    return latest && isOpen(latest.record) ? latest : begin('sign-in');
  }

  function add({ steps }: OpenAttempt, step: Omit<OAuthStep, 'at'>, at = now()): void {
    if (steps.length < maxSteps) steps.push({ ...step, at });
  }

  return {
    begin: (reason) => void begin(reason),
    addChallenge: (challenge) =>
      add(current(), {
        kind: 'challenge',
        received: { scope: challenge.scope, resourceMetadataUrl: challenge.resourceMetadataUrl?.href },
      }),
    addAuthorization(url) {
      const attempt = current();
      const masked = maskUrl(new URL(url), attempt.redactor.add);
      add(attempt, { kind: 'authorization', request: { method: 'GET', url: masked } });
    },
    addRedirect(params) {
      const attempt = current();
      add(attempt, { kind: 'redirect', received: maskParams(params, attempt.redactor.add) });
    },
    end(outcome, error) {
      const [attempt] = attempts;
      if (attempt && isOpen(attempt.record)) Object.assign(attempt.record, { outcome, error, endedAt: now() });
    },
    record: (fetch) => async (input, init) => {
      const attempt = current();
      const secret = attempt.redactor.add;
      const [at, startedAt] = [now(), clock.now()];
      const { method = 'GET', body } = init ?? {};
      const sent = bodyText(body);
      const request = { method, url: maskUrl(new URL(input), secret), body: maskBody(sent, secret) };
      const kind = kindOf(new URL(input), sent);
      const addStep = (step: Pick<OAuthStep, 'response' | 'error'>) =>
        add(attempt, { kind, durationMs: clock.now() - startedAt, request, ...step }, at);
      try {
        const response = await fetch(input, init);
        const answered = await response.clone().text();
        addStep({ response: { status: response.status, body: maskBody(answered, secret) } });
        return response;
      } catch (cause) {
        addStep({ error: messageOf(cause) });
        throw cause;
      }
    },
    attempts: () => attempts.map(({ record, redactor }) => redactor.value(structuredClone(record))),
  };
}

/** A person may complete a sign-in long after the attempt that asked for it has ended. */
function isOpen({ outcome }: OAuthAttempt): boolean {
  return outcome === 'running' || outcome === 'waiting';
}

function bodyText(body: unknown): string | undefined {
  if (body instanceof URLSearchParams) return body.toString();
  return typeof body === 'string' ? body : undefined;
}

function kindOf({ pathname }: URL, body: string | undefined): OAuthStep['kind'] {
  if (pathname.includes('/.well-known/oauth-protected-resource')) return 'resource-metadata';
  if (pathname.includes('/.well-known/')) return 'server-metadata';
  if (body?.includes('grant_type=refresh_token')) return 'refresh';
  if (body?.includes('grant_type=')) return 'token';
  return body?.includes('redirect_uris') ? 'registration' : 'other';
}
