import { type CheckedGateway, gatewaySchema } from '../../contract/settings/gateway-schema.ts';
import { isInsecureUrl } from '../../contract/settings/server-url.ts';
import { canonicalizeMap } from './canonical-keys.ts';
import type { CheckContext } from './check-context.ts';
import { checkSchema, found } from './check-schema.ts';
import { resolveUrl } from './check-server.ts';
import { isPlainMap, type PlainData, type PlainObject } from './plain-data.ts';
import type { Path } from './problems.ts';
import { parseReference } from './references.ts';

/** Checks `gateway:`. Resolves references in URLs and leaves references in secrets unresolved. */
export function checkGateway(value: PlainData, context: CheckContext): CheckedGateway | undefined {
  const path = ['gateway'];
  if (!isPlainMap(value)) return checkSchema(gatewaySchema(), value, path, context);
  const gateway = canonicalizeMap(value, gatewaySchema(), path, context);
  const { jwt, webhook, notifications, database } = gateway;
  if (isPlainMap(jwt)) checkJwt(jwt, [...path, 'jwt'], context);
  if (checkAddress(gateway, 'url', path, context) === 'insecure') {
    context.warn('gateway.url is plain http: anyone on the network path can read keys and sessions');
  }
  if (isPlainMap(gateway.oidc)) checkOidc(gateway.oidc, gateway, [...path, 'oidc'], context);
  if (isPlainMap(webhook) && checkAddress(webhook, 'url', [...path, 'webhook'], context) === 'insecure') {
    context.warn('The webhook of the gateway is plain http to another machine: anyone on the network path can read it');
  }
  for (const [at, channel] of Array.isArray(notifications) ? notifications.entries() : []) {
    if (isPlainMap(channel) && checkAddress(channel, 'url', [...path, 'notifications', at], context) === 'insecure')
      context.warn('A notification is plain http to another machine: anyone on the network path can read it');
  }
  checkAddress(gateway, 'tracesUrl', path, context);
  if (isPlainMap(gateway.apps)) checkApps(gateway.apps, gateway, [...path, 'apps'], context);
  if (typeof database === 'string' && database && !parseReference(database) && !/^postgres(ql)?:\/\/./.test(database)) {
    const here = [...path, 'database'];
    context.report({ path: here, message: 'must be a URL such as postgres://user@host/toolwharf' });
  }
  return checkSchema(gatewaySchema(), gateway, path, context);
}

/** The frames of apps have a host name of their own: nothing else is served there. */
function checkApps(
  { url }: PlainObject,
  { host, url: own, allowedHosts }: PlainObject,
  path: Path,
  context: CheckContext,
): void {
  const name = typeof url === 'string' ? URL.parse(url)?.hostname : undefined;
  const ownName = typeof own === 'string' ? URL.parse(own)?.hostname : undefined;
  const others = [host, ownName, ...(Array.isArray(allowedHosts) ? allowedHosts : [])];
  if (name === undefined || !others.some((other) => typeof other === 'string' && other.toLowerCase() === name)) return;
  const message = 'must have another host name than the gateway: only frames of apps are served there';
  context.report({ path: [...path, 'url'], message });
}

function checkJwt(jwt: PlainObject, path: Path, context: CheckContext): void {
  if (checkAddress(jwt, 'jwksUrl', path, context) === 'insecure') {
    // An attacker who can modify the key set in transit can forge tokens.
    const here = [...path, 'jwksUrl'];
    context.report({ path: here, message: 'must be an https URL', ...found(jwt.jwksUrl, here) });
  }
  for (const [key, other] of [
    ['adminClaim', 'adminValue'],
    ['adminValue', 'adminClaim'],
  ] as const) {
    if (jwt[key] === undefined || jwt[other] !== undefined) continue;
    context.report({ path: [...path, key], message: `needs '${other}' beside it`, atKey: true });
  }
}

function checkOidc(oidc: PlainObject, { host, url }: PlainObject, path: Path, context: CheckContext): void {
  if (checkAddress(oidc, 'issuer', path, context) === 'insecure') {
    // An attacker on the network path could sign in as anyone.
    const here = [...path, 'issuer'];
    context.report({ path: here, message: 'must be an https URL', ...found(oidc.issuer, here) });
  }
  if (
    url !== undefined ||
    typeof host !== 'string' ||
    !isInsecureUrl(`http://${host.includes(':') ? `[${host}]` : host}`)
  )
    return;
  const message = "needs 'gateway.url': the provider sends people back to that address";
  context.report({ path, message, atKey: true });
}

/** Replaces the URL at a key by its resolved value, and reports an invalid URL. */
function checkAddress(owner: PlainObject, key: string, path: Path, context: CheckContext): 'insecure' | undefined {
  const written = owner[key];
  if (typeof written !== 'string' || written === '') return undefined;
  const here = [...path, key];
  const { url, problem } = resolveUrl(written, context.env);
  if (problem) {
    context.report({ path: here, message: problem, ...(!parseReference(written) && found(written, here)) });
    return undefined;
  }
  owner[key] = url;
  return isInsecureUrl(url) ? 'insecure' : undefined;
}
