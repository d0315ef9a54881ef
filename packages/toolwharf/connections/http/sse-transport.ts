import { type JSONRPCMessage, SdkError, SdkErrorCode, type Transport } from '@modelcontextprotocol/client';
import { messageOf, ToolwharfError } from '../../../contract/errors.ts';
import { isObject } from '../../../contract/json.ts';
import { LightAbort } from '../../kernel/abort-source.ts';
import { parseMessage, toJsonText } from '../../kernel/exact-json.ts';
import { type EventStreamBody, readEventStream } from './event-stream.ts';
import { describeRedirect } from './follow-redirects.ts';
import type { HttpAccess } from './http-access.ts';
import { eventsOf, type HttpReply } from './http-reply.ts';
import { createHttpSender, httpError } from './http-sender.ts';
import { createRequestHeaders } from './request-headers.ts';

export interface SseTransportOptions {
  /** Called if the stream ends because something in it cannot be read. */
  readonly onUnreadable: (cause: ToolwharfError) => void;
}

/**
 * The transport of protocol revision 2024-11-05: one event stream delivers all messages of the server, and names the address that takes
 * those of the client. The session ends with the stream.
 */
export function createSseTransport(url: URL, access: HttpAccess, { onUnreadable }: SseTransportOptions): Transport {
  const requestHeaders = createRequestHeaders(access.headers);
  const lifetime = new AbortController();
  const sender = createHttpSender(url, access, lifetime.signal);
  const opened = Promise.withResolvers<void>();
  let source: EventStreamBody | undefined;
  let endpoint: URL | undefined;
  let protocolVersion: string | undefined;

  const transport: Transport = {
    setProtocolVersion(version) {
      protocolVersion = version;
    },
    async start() {
      await open(false);
      await opened.promise;
    },
    async send(message) {
      try {
        await post(message, false);
      } catch (cause) {
        transport.onerror?.(cause as Error);
        throw cause;
      }
    },
    async close() {
      if (lifetime.signal.aborted) return;
      lifetime.abort();
      opened.reject(new Error('The transport was closed'));
      source?.body.destroy();
      transport.onclose?.();
    },
  };
  // Nobody waits for it if the stream cannot be opened.
  opened.promise.catch(() => {});

  async function open(isRetry: boolean): Promise<void> {
    const headers = { ...requestHeaders.plain({ sessionId: undefined, protocolVersion }), accept: 'text/event-stream' };
    const response = await sender.request('GET', url, { headers, signal: new LightAbort() });
    if (!response.ok) {
      if (await sender.authorize(response, isRetry)) return open(true);
      throw await refusal(response, SdkErrorCode.ClientHttpFailedToOpenStream);
    }
    const type = response.headers.get('content-type') ?? '';
    if (!/^\s*text\/event-stream\s*(;|$)/i.test(type)) {
      await response.text().catch(() => {});
      throw new SdkError(SdkErrorCode.ClientHttpUnexpectedContent, `Unexpected content type: ${type || 'none'}`);
    }
    source = eventsOf(response);
    if (lifetime.signal.aborted) source.body.destroy();
    readEventStream(source, { throttle: access.throttle, onEvent: receive, onRetry: () => {}, onEnd: end });
  }

  function receive({ event, data }: { readonly event?: string; readonly data: string }): void {
    if (event === 'endpoint') receiveEndpoint(data);
    if (data === '' || (event !== undefined && event !== 'message')) return;
    const message = parseOrUndefined(data);
    if (isObject(message)) transport.onmessage?.(message as unknown as JSONRPCMessage);
    else transport.onerror?.(new Error('The server sent an event that is not a message'));
  }

  function receiveEndpoint(address: string): void {
    // The credentials are for this origin only.
    const target = URL.canParse(address, url.href) ? new URL(address, url) : undefined;
    if (target?.origin === url.origin) {
      endpoint = target;
      opened.resolve();
      return;
    }
    const error = new Error('The server names an address for messages that is not on its own origin');
    opened.reject(error);
    transport.onerror?.(error);
    void transport.close();
  }

  function end(cause?: unknown): void {
    if (lifetime.signal.aborted) return;
    const reason = cause === undefined ? 'The event stream ended' : `The event stream broke: ${messageOf(cause)}`;
    const error = cause instanceof ToolwharfError ? cause : new Error(reason, { cause });
    opened.reject(error);
    if (cause instanceof ToolwharfError) onUnreadable(cause);
    transport.onerror?.(error);
  }

  async function post(message: JSONRPCMessage, isRetry: boolean): Promise<void> {
    if (!endpoint) throw new SdkError(SdkErrorCode.NotConnected, 'Not connected');
    const headers = requestHeaders.post(message, { sessionId: undefined, protocolVersion });
    const body = toJsonText(message);
    const response = await sender.request('POST', endpoint, { headers, body, signal: new LightAbort() });
    if (!response.ok) {
      if (await sender.authorize(response, isRetry)) return post(message, true);
      throw await refusal(response, SdkErrorCode.ClientHttpNotImplemented);
    }
    // The answer arrives on the stream.
    await response.text().catch(() => {});
  }

  async function refusal(response: HttpReply, code: SdkErrorCode): Promise<Error> {
    const text = await response.text().catch(() => '');
    return httpError(code, response, describeRedirect(url, response) ?? text);
  }

  return transport;
}

function parseOrUndefined(text: string): unknown {
  try {
    return parseMessage(text);
  } catch {
    return undefined;
  }
}
