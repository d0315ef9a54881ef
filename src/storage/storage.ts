import type { PinStore } from '../catalog/pins.ts';
import type { OAuthStore } from '../connections/authentication/oauth-store.ts';
import type { Journal } from '../invocation/journal.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import type { ApprovalStore } from '../policy/approval-store.ts';
import type { RuleStore } from '../policy/remembered-rules.ts';
import type { ServerStore } from '../servers/server-store.ts';
import type { AssistantStore } from './ports/assistant-store.ts';
import type { Audit } from './ports/audit.ts';
import type { ConversationStore } from './ports/conversation-store.ts';
import type { KeyStore } from './ports/key-store.ts';
import type { ProviderStore } from './ports/provider-store.ts';
import type { Sealer } from './sealer.ts';

/** Everything that is kept, in one place. What a method resolved for is safe. */
export interface Storage extends AsyncDisposable {
  readonly journal: Journal;
  readonly pins: PinStore;
  readonly rules: RuleStore;
  readonly approvals: ApprovalStore;
  readonly servers: ServerStore;
  readonly oauth: OAuthStore;
  readonly keys: KeyStore;
  readonly assistants: AssistantStore;
  readonly providers: ProviderStore;
  readonly conversations: ConversationStore;
  readonly meta: MetaStore;
  readonly audit: Audit;
  /**
   * Seals every secret again with another key, in small steps; gives back how many. After a crash, open with the old key and
   * call it again with the same new one. Once it resolved, only the new key opens the storage.
   */
  reseal(next: Sealer): Promise<number>;
  /** Finishes what is being written, then lets go. */
  close(): Promise<void>;
}

interface CommonOptions {
  /** Larger results are not kept in the journal; 262 144. */
  readonly maxResultBytes?: number;
  readonly clock?: Clock;
  readonly log?: Log;
}

export interface MemoryStorageOptions extends CommonOptions {
  readonly kind: 'memory';
}

export interface SqliteStorageOptions extends CommonOptions {
  readonly kind: 'sqlite';
  /** Made if it is not there, with its directory. One process at a time. */
  readonly file: string;
  readonly sealer: Sealer;
}

export interface PostgresStorageOptions extends CommonOptions {
  readonly kind: 'postgres';
  readonly url: string;
  readonly sealer: Sealer;
  /** A process that gave no sign of life for this long is gone, and its open calls are ended; 30 000. */
  readonly leaseMs?: number;
  /** An answer that takes longer counts as none; 15 000. */
  readonly queryTimeoutMs?: number;
}

export type StorageOptions = MemoryStorageOptions | SqliteStorageOptions | PostgresStorageOptions;

/** Small texts by name: versions, check values, what was done once. Not for secrets: they are kept as they are. */
export interface MetaStore {
  get(name: string): Promise<string | undefined>;
  set(name: string, value: string): Promise<void>;
}
