import { createHash, createHmac, randomUUID, timingSafeEqual } from 'node:crypto';

/** Whom a session is for: the holder of the admin token, whoever is on this machine, or the holder of a key. */
export type SessionHolder =
  | { readonly kind: 'admin' }
  | { readonly kind: 'local' }
  | { readonly kind: 'key'; readonly id: string };

/** Sessions of the app: signed texts in a cookie. They end by time, by signing out, and with the admin token they were made under. */
export interface AppSessions {
  /** How long one lasts. */
  readonly lifetimeMs: number;
  open(holder: SessionHolder): string;
  /** Undefined for one that is forged, over or ended. */
  find(session: string): SessionHolder | undefined;
  end(session: string): void;
}

export interface AppSessionsOptions {
  /** The same on every replica and after every start. */
  readonly sessionKey: Buffer;
  readonly adminToken?: string;
  /** 12 hours. */
  readonly lifetimeMs?: number;
  readonly now?: () => number;
}

interface Content {
  readonly id: string;
  readonly holder: SessionHolder;
  readonly until: number;
}

const maxEnded = 10_000;

export function createAppSessions(options: AppSessionsOptions): AppSessions {
  const { lifetimeMs = 12 * 3_600_000, now = Date.now } = options;
  const tokenHash = createHash('sha256')
    .update(options.adminToken ?? '')
    .digest();
  const key = createHmac('sha256', options.sessionKey).update('toolwharf app session').update(tokenHash).digest();
  const ended = new Map<string, number>();
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
      return content && content.until > now() && !ended.has(content.id) ? content.holder : undefined;
    },
    end(session) {
      const content = read(session);
      if (!content) return;
      ended.set(content.id, content.until);
      for (const [id, until] of ended) if (until <= now() || ended.size > maxEnded) ended.delete(id);
    },
  };
}
