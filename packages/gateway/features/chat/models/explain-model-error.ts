import { messageOf, ToolwharfError } from '../../../../contract/errors.ts';
import { isObject, type JsonObject } from '../../../../contract/json.ts';
import { createRedactor } from '../../../../toolwharf/kernel/redact.ts';
import { toDisplayText } from '../../../../toolwharf/policy/display-text.ts';
import type { ModelRetry } from './models.ts';
import type { ProviderSetup } from './provider-setup.ts';

/** Explains a provider's error and what to do about it. Never contains the key. */
export function explainModelError(error: unknown, { name, apiKey }: Pick<ProviderSetup, 'name' | 'apiKey'>): string {
  const redactor = createRedactor();
  redactor.add(apiKey);
  return redactor.text(explain(lastAttempt(error), name));
}

/** Whether a failed request may succeed later: the provider is busy, or cannot be reached at the moment. */
export function readRetry(error: unknown, name: string): ModelRetry | undefined {
  if (error instanceof ToolwharfError) return undefined;
  const { status, code, network } = readFacts(error);
  if (code === 'insufficient_quota') return undefined;
  const pauseMs = readPause(fieldsOf(error).responseHeaders);
  if (status === 429) return { reason: `${name} reached its rate limit`, pauseMs };
  if (status === 529 || code === 'overloaded_error') return { reason: `${name} is overloaded`, pauseMs };
  if (status === 408 || status === 409 || (status !== undefined && status >= 500))
    return { reason: `${name} failed (HTTP ${status})`, pauseMs };
  return network === undefined ? undefined : { reason: `${name} could not be reached`, pauseMs };
}

/** The pause of a response's `retry-after-ms` or `retry-after`, in seconds or as a date. */
function readPause(headers: unknown): number | undefined {
  const { 'retry-after-ms': ms, 'retry-after': after } = fieldsOf(headers);
  const named = [Number(textOf(ms)), Number(textOf(after)) * 1_000, Date.parse(textOf(after) ?? '') - Date.now()];
  return named.find((pause) => Number.isFinite(pause) && pause >= 0);
}

function explain(error: unknown, name: string): string {
  if (error instanceof ToolwharfError) return `${name}: ${error.message}.`;
  const facts = readFacts(error);
  const said = facts.message === '' ? '' : ` Message of the provider: ${shorten(facts.message)}`;
  if (isTooLong(facts))
    return `The conversation is too long for this model. Start a new one, or choose a model with a larger context.${said}`;
  const { status } = facts;
  if (status === 401 || status === 403)
    return `${name} rejected the key (HTTP ${status}). Check the key of this provider.${said}`;
  if (status === 404)
    return `${name} did not find the model (HTTP 404). Check the model's name and the provider's URL.${said}`;
  if (status === 402 || facts.code === 'insufficient_quota')
    return `The account at ${name} has no credit left (HTTP ${status}). Check its plan and billing.${said}`;
  if (status === 429) return `${name} reached its rate limit (HTTP 429). Wait a moment, then continue.${said}`;
  if (status === 529 || facts.code === 'overloaded_error')
    return `${name} is overloaded. Wait a moment, then continue.${said}`;
  if (status !== undefined && status >= 500) return `${name} failed (HTTP ${status}). Try again.${said}`;
  if (status !== undefined) return `${name} rejected the request (HTTP ${status}).${said}`;
  if (facts.network !== undefined)
    return `${name} could not be reached, or the connection broke: ${shorten(facts.network)}. Check the URL and the network, then continue.`;
  return `${name} failed.${said}`;
}

interface Facts {
  readonly status?: number;
  readonly code?: string;
  readonly message: string;
  readonly network?: string;
}

/** Reads errors of the SDK, of `fetch` and of streams by their shape, because any of them can be thrown. */
function readFacts(error: unknown): Facts {
  const fields = fieldsOf(error);
  const body = bodyOf(fields);
  const given = numberOf(fields.statusCode) ?? numberOf(fields.status);
  // A response that started well and then failed still carries its success status.
  const status = given !== undefined && given >= 300 ? given : undefined;
  const code = textOf(body.code) ?? textOf(body.type) ?? textOf(fields.code) ?? textOf(fields.type);
  const message = textOf(body.message) ?? textOf(fields.message) ?? (typeof error === 'string' ? error : '');
  const network = status === undefined ? networkCodeOf(error) : undefined;
  return { status, code, message, network };
}

/** The error object in the provider's response. */
function bodyOf(fields: JsonObject): JsonObject {
  const data = isObject(fields.data) ? fields.data : parsed(fields.responseBody);
  const first = Array.isArray(data) ? data[0] : data;
  if (!isObject(first)) return {};
  if (isObject(first.error)) return first.error;
  return typeof first.error === 'string' ? { message: first.error } : first;
}

function parsed(text: unknown): unknown {
  try {
    return typeof text === 'string' ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

/** The deepest cause with a system error code such as ECONNREFUSED. */
function networkCodeOf(error: unknown): string | undefined {
  let found: string | undefined;
  let current: unknown = error;
  for (let depth = 0; depth < 6 && current instanceof Error; depth++) {
    const { code } = current as { code?: unknown };
    const isNetwork = typeof code === 'string' && /^(E[A-Z]+|UND_ERR_\w+|CERT_\w+|[A-Z_]*CERT[A-Z_]*)$/.test(code);
    if (isNetwork)
      found = current.message.includes(code) ? current.message : [code, current.message].filter(Boolean).join(': ');
    else if (current instanceof TypeError && found === undefined) found = messageOf(current);
    current = current.cause;
  }
  return found;
}

/** Providers without a code for this error answer 400 and explain it only in their message. */
function isTooLong({ status, code, message }: Facts): boolean {
  if (code === 'context_length_exceeded' || status === 413) return true;
  return (
    status === 400 &&
    /context (?:length|window|size)|prompt is too long|maximum context|input token count|too many tokens/i.test(message)
  );
}

/** After its last retry, the SDK throws an error that contains those of all attempts. */
function lastAttempt(error: unknown): unknown {
  const { lastError } = fieldsOf(error);
  return lastError === undefined ? error : lastAttempt(lastError);
}

function fieldsOf(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null ? (value as JsonObject) : {};
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

function shorten(text: string): string {
  return toDisplayText(text.replace(/\s+/g, ' ').trim(), { maxLength: 300 });
}
