import { SdkErrorCode, SdkHttpError, UnauthorizedError } from '@modelcontextprotocol/client';
import { type AbortSource, toAbortSignal } from '../../kernel/abort-source.ts';
import { followRedirects } from './follow-redirects.ts';
import type { HttpAccess } from './http-access.ts';
import { type HttpReply, toHttpReply } from './http-reply.ts';
import type { PoolRequest, PoolRequestInit, SendOptions } from './pool-fetch.ts';

/** The parts of a request beside its method and URL. */
export interface RequestParts extends SendOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSource;
}

/** Sends the requests of one session. */
export interface HttpSender {
  send(request: PoolRequest, parts: Pick<RequestParts, 'signal' | 'reply'>): Promise<HttpReply>;
  /** Sends a request with the present token, and follows its redirects. */
  request(method: PoolRequest['method'], target: URL, init: RequestParts): Promise<HttpReply>;
  /** True when new credentials are ready and the request may be sent again. */
  authorize(reply: HttpReply, isRetry: boolean): Promise<boolean>;
}

/** `ending` aborts with the session. */
export function createHttpSender(url: URL, access: HttpAccess, ending: AbortSignal): HttpSender {
  const { authProvider } = access;

  async function send(
    request: PoolRequest,
    { signal, reply }: Pick<RequestParts, 'signal' | 'reply'>,
  ): Promise<HttpReply> {
    const either = AbortSignal.any([ending, toAbortSignal(signal)]);
    if (access.send) return toHttpReply(await access.send(request, { signal: either, reply }));
    const { url: target, method, headers, body } = request;
    const init: PoolRequestInit = { method, headers, body, signal: either, reply };
    return access.fetch(target, init);
  }

  return {
    send,
    async request(method, target, init) {
      const headers = { ...init.headers };
      const token = await authProvider?.token();
      if (token) headers.authorization = `Bearer ${token}`;
      const { body } = init;
      const sendTo = (to: URL) => send({ method, url: to, headers, body }, init);
      return followRedirects(await sendTo(target), target, method, sendTo);
    },
    async authorize(reply, isRetry) {
      if (reply.status !== 401 || !authProvider) return false;
      // With a provider, every reply is from `fetch`.
      const response = reply as Response;
      if (authProvider.onUnauthorized && !isRetry) {
        await authProvider.onUnauthorized({ response, serverUrl: url, fetchFn: access.fetch });
        await response.text().catch(() => {});
        return true;
      }
      await response.text().catch(() => {});
      if (!isRetry) throw new UnauthorizedError();
      throw httpError(SdkErrorCode.ClientHttpAuthentication, response, 'Unauthorized after a new sign-in');
    },
  };
}

export function httpError(code: SdkErrorCode, { status, statusText }: HttpReply, text: string): SdkHttpError {
  return new SdkHttpError(code, `The server answered HTTP ${status}: ${text}`, { status, statusText, text });
}
