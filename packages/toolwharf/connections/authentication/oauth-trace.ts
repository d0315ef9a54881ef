import type { FetchLike } from '@modelcontextprotocol/client';
import type { oauthOutcomes, oauthReasons, oauthStepKinds } from '../../../contract/connections.ts';
import { messageOf } from '../../../contract/errors.ts';
import { isObject } from '../../../contract/json.ts';
import type { Clock } from '../../kernel/clock.ts';
import { createRedactor, type Redactor } from '../../kernel/redact.ts';

const mask = '[redacted]';
const maxShownLength = 4_000;

/** The members of OAuth requests and responses that are secret. */
const secretMembers = new Set([
  'access_token',
  'refresh_token',
  'id_token',
  'registration_access_token',
  'client_secret',
  'client_assertion',
  'assertion',
  'subject_token',
  'actor_token',
  'code',
  'code_verifier',
  'state',
  'nonce',
  'password',
]);

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

/** The URL with secret parameters masked. Each secret is reported. */
function maskUrl(url: URL, onSecret: (secret: string) => void): string {
  const masked = new URL(url);
  if (masked.password !== '') masked.password = 'redacted';
  for (const [name, value] of url.searchParams) {
    if (!secretMembers.has(name)) continue;
    onSecret(value);
    masked.searchParams.set(name, mask);
  }
  return masked.href.replaceAll(encodeURIComponent(mask), mask).slice(0, maxShownLength);
}

/** Parameters with secret ones masked. */
function maskParams(params: URLSearchParams, onSecret: (secret: string) => void): Record<string, unknown> {
  return maskMembers(Object.fromEntries(params), onSecret) as Record<string, unknown>;
}

/** A JSON, form or text body with secrets masked; undefined for an empty one. */
function maskBody(text: string | undefined, onSecret: (secret: string) => void): unknown {
  if (text === undefined || text === '') return undefined;
  if (text.length > 16 * maxShownLength) return `(${text.length} characters)`;
  try {
    return shorten(maskMembers(JSON.parse(text), onSecret));
  } catch {
    if (/^[\w.-]+=[^\s<]*$/.test(text)) return maskParams(new URLSearchParams(text), onSecret);
    return text
      .replaceAll(/((?:token|secret|code|password)\w*["']?\s*[=:]\s*)\S+/gi, `$1${mask}`)
      .slice(0, maxShownLength);
  }
}

function maskMembers(value: unknown, onSecret: (secret: string) => void): unknown {
  if (Array.isArray(value)) return value.map((item) => maskMembers(item, onSecret));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      if (!secretMembers.has(name)) return [name, maskMembers(member, onSecret)];
      // The error of a token endpoint also has a member `code` in some APIs: a number is no secret.
      if (typeof member !== 'string') return [name, typeof member === 'number' ? member : mask];
      onSecret(member);
      return [name, mask];
    }),
  );
}

function shorten(value: unknown): unknown {
  const text = JSON.stringify(value);
  return text.length > maxShownLength ? `${text.slice(0, maxShownLength)}…` : value;
}
