import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type EventSourceMessage, EventSourceParserStream } from 'eventsource-parser/stream';
import { dataDirectory } from '../../config/data-directory.ts';
import { type ErrorCode, errorStatus, messageOf, ToolwharfError } from '../../kernel/errors.ts';
import { isObject } from '../../kernel/json.ts';
import type { CommandContext } from '../command-context.ts';
import { UnavailableError } from '../errors.ts';
import { findGateway, toReachableUrl } from './gateway-file.ts';

/** The REST API of the running gateway, used as administrator. Errors are thrown with the code that the gateway returned. */
export interface GatewayClient {
  readonly url: string;
  get<Answer>(path: string): Promise<Answer>;
  post<Answer>(path: string, body?: object): Promise<Answer>;
  put<Answer>(path: string, body: object): Promise<Answer>;
  delete(path: string): Promise<void>;
  /** Server-sent events, until the gateway ends the stream or the signal aborts. */
  events(path: string, signal: AbortSignal): Promise<AsyncIterable<EventSourceMessage>>;
}

/** Connects to the gateway of the data directory; throws an `UnavailableError` if none is running. */
export async function openGatewayClient({
  env,
  signal,
}: Pick<CommandContext, 'env' | 'signal'>): Promise<GatewayClient> {
  const dataDir = dataDirectory(env);
  const gateway = await findGateway(dataDir);
  if (!gateway) throw new UnavailableError(`No gateway is running for ${dataDir}: start one with \`toolwharf serve\``);
  const token = await readToken(join(dataDir, 'admin-token'));
  const url = toReachableUrl(gateway.url);

  async function send(path: string, { headers, ...init }: RequestInit): Promise<Response> {
    try {
      return await fetch(`${url}${path}`, {
        ...init,
        headers: { ...headers, authorization: `Bearer ${token}` },
        redirect: 'error',
      });
    } catch (cause) {
      init.signal?.throwIfAborted();
      throw new UnavailableError(
        `The gateway at ${url} (process ${gateway?.pid}) does not respond: ${messageOf(cause)}`,
      );
    }
  }

  async function request<Answer>(method: string, path: string, body?: object): Promise<Answer> {
    const json = body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const response = await send(path, { method, signal, ...json });
    const text = await response.text();
    if (!response.ok) throw toError(response.status, text, url);
    return (text === '' ? undefined : JSON.parse(text)) as Answer;
  }

  return {
    url,
    get: (path) => request('GET', path),
    post: (path, body) => request('POST', path, body),
    put: (path, body) => request('PUT', path, body),
    delete: (path) => request('DELETE', path),
    async events(path, streamSignal) {
      const response = await send(path, { headers: { accept: 'text/event-stream' }, signal: streamSignal });
      if (!response.ok || !response.body) throw toError(response.status, await response.text(), url);
      return response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
    },
  };
}

async function readToken(file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (cause) {
    throw new UnavailableError(`Cannot read the administrator token: ${messageOf(cause)}`);
  }
}

function toError(status: number, text: string, url: string): Error {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Not a Toolwharf gateway: handled below.
  }
  const error = isObject(value) && isObject(value.error) ? value.error : undefined;
  if (typeof error?.code !== 'string' || !Object.hasOwn(errorStatus, error.code)) {
    return new UnavailableError(`${url} is not a Toolwharf gateway: it returned HTTP status ${status}`);
  }
  return new ToolwharfError(error.code as ErrorCode, String(error.message));
}

/** The tools that the gateway's configuration always asks about. */
export async function askPatternsOf(gateway: Pick<GatewayClient, 'get'>): Promise<readonly string[]> {
  type Settings = { readonly toolbox: { readonly approval: { readonly ask: readonly string[] } } };
  return (await gateway.get<Settings>('/api/config')).toolbox.approval.ask;
}
