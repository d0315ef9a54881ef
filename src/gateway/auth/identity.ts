import type { IncomingMessage } from 'node:http';
import type { Caller } from '../../kernel/tool.ts';

/** What a route asks for. An administrator has all of them; `public` needs nobody. */
export type Right = 'public' | 'read' | 'call' | 'admin';

/** Who a request is from, and what they may do. */
export interface Identity {
  readonly caller: Caller;
  /** The only profile they may use; undefined lets them choose. */
  readonly profile?: string;
  /** May manage servers, keys and settings. */
  readonly isAdmin: boolean;
  /** What they may do besides administration; both where undefined. */
  readonly rights?: readonly ('read' | 'call')[];
  /** How they are known. `loopback` is no proof but that of being on this machine. */
  readonly via?: 'admin-token' | 'key' | 'jwt' | 'loopback';
}

/** The one way in: every route asks here. Undefined turns the request away with 401, a `ToolwharfError` with its own status. */
export type Authenticate = (request: IncomingMessage) => Promise<Identity | undefined>;

/** May this be done by them? */
export function hasRight(identity: Identity | undefined, right: Right): boolean {
  if (right === 'public') return true;
  if (!identity) return false;
  if (identity.isAdmin) return true;
  return right !== 'admin' && (identity.rights ?? ['read', 'call']).includes(right);
}

/** All rights they have, for showing. */
export function rightsOf(identity: Identity | undefined): Exclude<Right, 'public'>[] {
  return (['read', 'call', 'admin'] as const).filter((right) => hasRight(identity, right));
}

/** May they have the gateway start programs that they name? Whoever merely is on this machine may not. */
export function mayAddPrograms(identity: Identity | undefined): boolean {
  return identity?.isAdmin === true && identity.via !== 'loopback';
}
