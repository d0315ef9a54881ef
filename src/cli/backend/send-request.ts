import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';

export interface RequestOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

/**
 * Sends a request and resolves with the response once its headers have arrived. Unlike `fetch`, it never gives up on a
 * response that waits for a person, and it follows no redirects.
 */
export function sendRequest(
  url: string,
  { method, headers = {}, body, signal }: RequestOptions,
): Promise<IncomingMessage> {
  const request = url.startsWith('https:') ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const given = Object.entries(headers).filter(([, value]) => value !== undefined);
    const outgoing = request(url, { method, headers: Object.fromEntries(given), signal }, resolve);
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
