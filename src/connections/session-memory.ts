import type { ServerSpec } from '../config/config.ts';
import { hashOf } from '../kernel/canonical-json.ts';
import type { Era } from './status.ts';

/** What the last good session with a server taught us, so that the next one need not ask again. */
export interface SessionMemory {
  get(address: string): RememberedSession | undefined;
  set(address: string, session: RememberedSession): void;
  delete(address: string): void;
}

export interface RememberedSession {
  readonly era: Era;
  readonly transport: 'stdio' | 'http' | 'sse';
}

export function createSessionMemory(): SessionMemory {
  return new Map<string, RememberedSession>();
}

/** Where a server is: its URL, or a hash of what is started. Equal for equal servers, and holds no secret. */
export function addressOf(spec: ServerSpec): string {
  const { target } = spec;
  if (target.transport !== 'stdio') return target.url;
  return `stdio:${hashOf([target.command, target.args, target.cwd ?? null])}`;
}
