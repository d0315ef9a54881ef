import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { AppsConfig } from '../../../contract/settings/app-sources.ts';
import type { AppFrames, AppSources } from '../../core/http/frames.ts';
import { toFramePolicy } from './content-policy.ts';

export interface AppFramesOptions {
  readonly settings: () => AppsConfig;
  /** All replicas have the same key. */
  readonly key: Buffer;
}

const lifetimeMs = 5 * 60_000;
const localName = 'apps.localhost';
/** Not `[::1]`: browsers do not accept it in a Content-Security-Policy. */
const loopbackNames = new Set(['localhost', '127.0.0.1']);

export function createAppFrames({ settings, key }: AppFramesOptions): AppFrames {
  const tokens = createFrameTokens(key);
  // Nearly all requests have the same `Host`, which is another one than that of the frames. Parsing it is expensive.
  let lastOther: { readonly header: string | undefined; readonly url: string | undefined } | undefined;

  function isForFrames(header: string | undefined): boolean {
    const { url } = settings();
    if (lastOther && lastOther.header === header && lastOther.url === url) return false;
    const host = toHost(header);
    if (host && isFrameHost(host, url)) return true;
    lastOther = { header, url };
    return false;
  }

  function isFrameHost(host: URL, url: string | undefined): boolean {
    if (host.hostname === localName) return true;
    const own = url === undefined ? null : URL.parse(url);
    // A proxy may leave out the port.
    return own !== null && own.hostname === host.hostname && (own.port === host.port || own.port === '');
  }

  function sourceFor({ headers }: IncomingMessage): string | undefined {
    const { enabled, url } = settings();
    const page = toHost(headers.host);
    if (!enabled || !page) return undefined;
    if (url !== undefined) return url.replace(/\/$/, '');
    if (!loopbackNames.has(page.hostname)) return undefined;
    return page.port === '' ? localName : `${localName}:${page.port}`;
  }

  return {
    serve(request, response) {
      if (!isForFrames(request.headers.host)) return false;
      const token = /^\/frame\/([\w.-]+)$/.exec(request.url ?? '')?.[1];
      const isRead = request.method === 'GET' || request.method === 'HEAD';
      const facts = settings().enabled && isRead && token !== undefined ? tokens.open(token) : undefined;
      const policy = facts ? toFramePolicy(facts.sources, facts.ancestor) : "default-src 'none'; sandbox";
      response.writeHead(facts ? 200 : 404, { ...frameHeaders, 'content-security-policy': policy });
      response.end(facts && request.method === 'GET' ? framePage : undefined);
      return true;
    },
    sourceFor,
    urlFor(page, sources) {
      const source = sourceFor(page);
      const ancestor = toHost(page.headers.host)?.host;
      if (source === undefined || ancestor === undefined) return undefined;
      const token = tokens.seal({ sources, ancestor });
      return `${source.includes('://') ? source : `//${source}`}/frame/${token}`;
    },
  };
}

/** The settings of a frame's Content-Security-Policy. */
export interface FrameFacts {
  readonly sources: AppSources;
  /** The host of the page around the frame. */
  readonly ancestor: string;
}

export function createFrameTokens(key: Buffer, now: () => number = Date.now): FrameTokens {
  const sign = (payload: string) => createHmac('sha256', key).update(`app frame\0${payload}`).digest();

  return {
    seal(facts) {
      const payload = Buffer.from(JSON.stringify({ facts, until: now() + lifetimeMs })).toString('base64url');
      return `${payload}.${sign(payload).toString('base64url')}`;
    },
    open(token) {
      const [payload = '', signature = '', ...rest] = token.split('.');
      const expected = sign(payload);
      const given = Buffer.from(signature, 'base64url');
      if (rest.length > 0 || given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
      // The signature proves that the payload is ours.
      const { facts, until } = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
      return until < now() ? undefined : facts;
    },
  };
}

function toHost(header: string | undefined): URL | undefined {
  return header === undefined ? undefined : (URL.parse(`http://${header}`) ?? undefined);
}

const frameHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-dns-prefetch-control': 'off',
  'origin-agent-cluster': '?1',
  'permissions-policy':
    'camera=(), display-capture=(), fullscreen=(), geolocation=(), microphone=(), midi=(), payment=(), usb=()',
};

/** Waits for the app's HTML from the page around the frame, and becomes it. The Content-Security-Policy stays that of the frame. */
const framePage = `<!doctype html>
<meta charset="utf-8">
<title>App</title>
<script>
addEventListener('message', function receive({ source, data }) {
  if (source !== parent || parent === self || data?.method !== 'ui/notifications/sandbox-resource-ready') return;
  removeEventListener('message', receive);
  document.open();
  document.write(String(data.params?.html ?? ''));
  document.close();
});
parent.postMessage({ jsonrpc: '2.0', method: 'ui/notifications/sandbox-proxy-ready', params: {} }, '*');
</script>
`;

/** Signs the facts of a frame, so that every replica can serve it, and only with the policy that the gateway decided. */
interface FrameTokens {
  seal(facts: FrameFacts): string;
  /** Undefined if the token was not issued with this key, was modified or has expired. */
  open(token: string): FrameFacts | undefined;
}
