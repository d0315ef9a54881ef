import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dataDirectory } from '../../config/data-directory.ts';
import { type ErrorCode, errorStatus, messageOf, ToolwharfError } from '../../kernel/errors.ts';
import { isObject } from '../../kernel/json.ts';
import type { CommandContext } from '../command.ts';
import { UnavailableError } from '../unavailable-error.ts';
import { findGateway } from './gateway-file.ts';
import { readEventStream, type SentEvent } from './read-event-stream.ts';

/** The running gateway's REST API, as its administrator. What it refuses is thrown with its own code. */
export interface GatewayClient {
  readonly url: string;
  get<Answer>(path: string): Promise<Answer>;
  post<Answer>(path: string, body?: object): Promise<Answer>;
  put<Answer>(path: string, body: object): Promise<Answer>;
  delete(path: string): Promise<void>;
  /** Server-sent events from the moment it resolves, until the gateway ends them or the signal aborts. */
  events(path: string, signal: AbortSignal): Promise<AsyncIterable<SentEvent>>;
}

/** Finds the gateway of the data directory; an `UnavailableError` that says how to start one where there is none. */
export async function openGatewayClient({
  env,
  signal,
}: Pick<CommandContext, 'env' | 'signal'>): Promise<GatewayClient> {
  const dataDir = dataDirectory(env);
  const place = await findGateway(dataDir);
  if (!place) throw new UnavailableError(`No gateway is running for ${dataDir}: start one with \`toolwharf serve\``);
  const token = await readToken(join(dataDir, 'admin-token'));
  const url = place.url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');

  async function send(path: string, { headers, ...init }: RequestInit): Promise<Response> {
    try {
      return await fetch(`${url}${path}`, {
        ...init,
        headers: { ...headers, authorization: `Bearer ${token}` },
        redirect: 'error',
      });
    } catch (cause) {
      init.signal?.throwIfAborted();
      throw new UnavailableError(`The gateway at ${url} (process ${place?.pid}) does not answer: ${messageOf(cause)}`);
    }
  }

  async function request<Answer>(method: string, path: string, body?: object): Promise<Answer> {
    const json = body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const response = await send(path, { method, signal, ...json });
    const text = await response.text();
    if (!response.ok) throw toError(response.status, text, url);
    return (text === '' ? undefined : JSON.parse(text)) as Answer;
  }

  async function events(path: string, ending: AbortSignal): Promise<AsyncIterable<SentEvent>> {
    const response = await send(path, { headers: { accept: 'text/event-stream' }, signal: ending });
    if (!response.ok || !response.body) throw toError(response.status, await response.text(), url);
    return readEventStream(response.body);
  }

  return {
    url,
    get: (path) => request('GET', path),
    post: (path, body) => request('POST', path, body),
    put: (path, body) => request('PUT', path, body),
    delete: (path) => request('DELETE', path),
    events,
  };
}

async function readToken(file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (cause) {
    throw new UnavailableError(`The administrator's token can't be read: ${messageOf(cause)}`);
  }
}

function toError(status: number, text: string, url: string): Error {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Whatever answers there is no gateway of ours.
  }
  const error = isObject(value) && isObject(value.error) ? value.error : undefined;
  if (typeof error?.code !== 'string' || !Object.hasOwn(errorStatus, error.code)) {
    return new UnavailableError(`${url} answered with ${status}, not as a gateway does`);
  }
  return new ToolwharfError(error.code as ErrorCode, String(error.message));
}
