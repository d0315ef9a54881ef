import { type IncomingHttpHeaders, request } from 'node:http';

export interface RawResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface RawRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** One request exactly as given, `Host` included, as no browser and no `fetch` would send it. */
export function send(url: string, path: string, { method = 'GET', headers = {}, body }: RawRequest = {}) {
  const { hostname, port } = new URL(url);
  return new Promise<RawResponse>((resolve, reject) => {
    const sent = request({ host: hostname, port, path, method, headers, agent: false }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('error', reject).on('end', () => {
        const { statusCode: status = 0, headers: received } = response;
        resolve({ status, headers: received, text: Buffer.concat(parts).toString('utf8') });
      });
    });
    sent.on('error', reject).end(body);
  });
}

/** The headers of a JSON-RPC request in the legacy era. */
export const rpcHeaders = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
