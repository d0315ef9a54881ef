import { startApi, type TestApi } from './api.ts';
import { initializeParams } from './raw-mcp.ts';

export const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** A gateway that requires authentication, with these limits. */
export async function startLimited(limits: object, config: object = {}): Promise<TestApi> {
  return startApi({ servers: {}, gateway: { requireAuthentication: true, limits }, ...config });
}

/** Opens a legacy session. */
export async function initialize(api: TestApi, key: string, capabilities: object = {}) {
  const params = { ...initializeParams, capabilities };
  const response = await fetch(`${api.url}/mcp`, {
    method: 'POST',
    headers: { ...json, authorization: `Bearer ${key}` },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
  });
  return { response, session: response.headers.get('mcp-session-id') ?? '', body: await response.json() };
}

/** The value of a metric in the text of `/metrics`. */
export function metric(text: string, name: string): number {
  const line = text.split('\n').find((one) => one.startsWith(`${name} `));
  return Number(line?.slice(name.length + 1));
}

export async function metrics(api: TestApi): Promise<string> {
  const response = await fetch(`${api.url}/metrics`, { headers: { authorization: `Bearer ${api.adminToken}` } });
  return response.text();
}
