import { ToolwharfError } from '../../../contract/errors.ts';
import type { HttpTarget } from '../../../contract/settings/config.ts';

export interface StaticHeadersOptions {
  readonly serverName: string;
  /** Resolves references such as `${VAR}`. */
  readonly resolve: (value: string) => string;
}

/**
 * The headers of every request to the server: the configured ones and the bearer, api-key or basic credentials. Names
 * are lower case. An invalid name or value is CONFIG_INVALID; the message does not contain the value.
 */
export function toStaticHeaders(
  target: Pick<HttpTarget, 'headers' | 'authentication'>,
  options: StaticHeadersOptions,
): Record<string, string> {
  const { serverName, resolve } = options;
  const headers: Record<string, string> = {};

  function set(name: string, value: string): void {
    const key = name.toLowerCase();
    if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(key)) throw refusal(`'${printable(name)}' is not a header name`);
    if (reserved.has(key)) throw refusal(`header '${key}' is set by the connection itself: leave it out`);
    const text = value.trim();
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(text)) {
      throw refusal(`the value of header '${key}' contains a line break or a character that is not allowed in headers`);
    }
    headers[key] = text;
  }
  function secret(what: string, value: string): string {
    const resolved = resolve(value).trim();
    if (resolved === '') throw missing(what, value);
    return resolved;
  }
  const refusal = (reason: string, data = {}) =>
    new ToolwharfError('CONFIG_INVALID', `Server '${serverName}': ${reason}`, {
      data: { server: serverName, ...data },
    });
  function missing(what: string, value: string): ToolwharfError {
    // A reference names where the secret comes from; it is not the secret.
    const [reference] = /\$\{[^}]+\}/.exec(value) ?? [];
    const advice =
      reference === undefined
        ? 'enter it in the settings of the server'
        : `set ${reference} for the gateway and restart it`;
    return refusal(`its ${what} is empty: ${advice}`, { needsCredentials: true });
  }

  for (const [name, value] of Object.entries(target.headers)) set(name, resolve(value));
  const { authentication } = target;
  if (authentication.type === 'bearer') set('authorization', `Bearer ${secret('bearer token', authentication.token)}`);
  if (authentication.type === 'api-key') set(authentication.header, secret('API key', authentication.key));
  if (authentication.type === 'basic') {
    const username = resolve(authentication.username);
    if (username.includes(':')) throw refusal('its user name has a colon, which basic authentication does not allow');
    const pair = `${username}:${resolve(authentication.password)}`;
    set('authorization', `Basic ${Buffer.from(pair, 'utf8').toString('base64')}`);
  }
  return headers;
}

// These frame the request or belong to the session: a configured one could break it or smuggle in a second request.
const reserved = new Set([
  'connection',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'mcp-protocol-version',
  'mcp-session-id',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

function printable(name: string): string {
  return name.replace(/[^\x20-\x7e]/g, '?').slice(0, 60);
}
