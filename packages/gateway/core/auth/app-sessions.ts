import { createHash, createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import type { EndableSession, EndedSessions } from './ended-sessions.ts';

/** Who owns a session: the holder of the admin token, a local user, the holder of an API key, or a signed-in user. */
export type SessionHolder =
  | { readonly kind: 'admin' }
  | { readonly kind: 'local' }
  | { readonly kind: 'key'; readonly id: string }
  | { readonly kind: 'user'; readonly id: string; readonly version: number };

/** Signed session cookies of the web app. A session ends when it expires, on sign-out, or when the admin token is replaced. */
export interface AppSessions {
  readonly lifetimeMs: number;
  open(holder: SessionHolder): string;
  /** Undefined for a forged, expired or ended session. */
  find(session: string): SessionHolder | undefined;
  /** Resolves when this replica rejects the session and the end is stored; others learn of it at once. */
  end(session: string): Promise<void>;
}

export interface AppSessionsOptions {
  /** Must be the same on every replica and after a restart. */
  readonly sessionKey: Buffer;
  readonly adminToken?: string;
  readonly ended: EndedSessions;
  /** 12 hours. */
  readonly lifetimeMs?: number;
  readonly now?: () => number;
}

interface Content {
  readonly id: string;
  readonly holder: SessionHolder;
  readonly until: number;
}

function toEndable({ id, holder, until }: Content): EndableSession {
  const owner = 'id' in holder ? `app/${holder.kind}/${holder.id}` : `app/${holder.kind}`;
  return { id, owner, expiresAt: until };
}

export function createAppSessions(options: AppSessionsOptions): AppSessions {
  const { ended, lifetimeMs = 12 * 3_600_000, now = Date.now } = options;
  const tokenHash = createHash('sha256')
    .update(options.adminToken ?? '')
    .digest();
  const key = createHmac('sha256', options.sessionKey).update('toolwharf app session').update(tokenHash).digest();
  const sign = (text: string) => createHmac('sha256', key).update(text).digest();

  function read(session: string): Content | undefined {
    const [text = '', signature = ''] = session.split('.');
    const given = Buffer.from(signature, 'base64url');
    const wanted = sign(text);
    if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return undefined;
    return JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as Content;
  }

  return {
    lifetimeMs,
    open(holder) {
      const content: Content = { id: randomUUID(), holder, until: now() + lifetimeMs };
      const text = Buffer.from(JSON.stringify(content)).toString('base64url');
      return `${text}.${sign(text).toString('base64url')}`;
    },
    find(session) {
      const content = read(session);
      return content && content.until > now() && !ended.has(toEndable(content)) ? content.holder : undefined;
    },
    async end(session) {
      const content = read(session);
      if (content) await ended.add(toEndable(content));
    },
  };
}
