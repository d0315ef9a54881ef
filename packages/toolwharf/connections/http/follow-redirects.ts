import type { HttpReply } from './http-reply.ts';

const redirectStatuses = new Set([301, 302, 303, 307, 308]);
const maxRedirects = 5;

/**
 * Follows redirects that keep the method and stay within the origin, where an upgrade from http to https on the default
 * ports counts as the same origin. Any other redirect is returned as it is.
 */
export async function followRedirects(
  first: HttpReply,
  url: URL,
  method: 'GET' | 'POST' | 'DELETE',
  send: (url: URL) => Promise<HttpReply>,
): Promise<HttpReply> {
  let response = first;
  let from = url;
  for (let followed = 0; followed < maxRedirects; followed++) {
    const target = redirectTarget(from, response);
    const keepsMethod = method === 'GET' || response.status === 307 || response.status === 308;
    if (!target || !keepsMethod || !isWithinOrigin(from, target)) return response;
    await response.text().catch(() => {});
    response = await send(target);
    from = target;
  }
  return response;
}

/** The advice for a redirect that was not followed; undefined for any other response. */
export function describeRedirect(url: URL, response: HttpReply): string | undefined {
  const target = redirectTarget(url, response);
  if (!target) return undefined;
  target.username = target.password = target.search = target.hash = '';
  if (target.protocol === 'http:' && url.protocol === 'https:') {
    target.protocol = 'https:';
    return `Redirect from https to plain http not followed; try ${target.href} as the URL of the server`;
  }
  return `Redirect to ${target.href} not followed; configure that URL if it is the intended server`;
}

function redirectTarget(url: URL, response: HttpReply): URL | undefined {
  const location = redirectStatuses.has(response.status) ? response.headers.get('location') : null;
  if (location === null || !URL.canParse(location, url.href)) return undefined;
  return new URL(location, url);
}

function isWithinOrigin(from: URL, to: URL): boolean {
  const hasOtherUser = (to.username || to.password) && (to.username !== from.username || to.password !== from.password);
  if (hasOtherUser) return false;
  if (from.origin === to.origin) return true;
  const isUpgrade = from.protocol === 'http:' && to.protocol === 'https:' && from.hostname === to.hostname;
  return isUpgrade && !from.port && !to.port;
}
