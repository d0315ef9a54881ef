import type { PinStore } from '../catalog/pins.ts';
import type { ToolOverrideStore } from '../catalog/tool-overrides.ts';
import type { AccountStore } from '../connections/accounts/account-store.ts';
import type { OAuthStore } from '../connections/authentication/oauth-store.ts';
import type { Journal } from '../invocation/journal.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import type { ApprovalStore } from '../policy/approval-store.ts';
import type { RuleStore } from '../policy/remembered-rules.ts';
import type { Audit } from './ports/audit.ts';
import type { BudgetStore } from './ports/budget-store.ts';
import type { CallCounter } from './ports/call-counts.ts';
import type { ConversationStore } from './ports/conversation-store.ts';
import type { EndedSessionStore } from './ports/ended-session-store.ts';
import type { FleetStore } from './ports/fleet-store.ts';
import type { KeyStore } from './ports/key-store.ts';
import type { ModelSettingsStore } from './ports/model-settings-store.ts';
import type { OpenPluginRecords, StoredRecords } from './ports/record-store.ts';
import type { SavedRequestStore } from './ports/saved-request-store.ts';
import type { UserStore } from './ports/user-store.ts';
import type { VectorStore } from './ports/vector-store.ts';
import type { Sealer } from './sealer.ts';

/** All stores. A change is durable when its promise resolves. */
export interface Storage extends Omit<StoredRecords, 'rules' | 'api_keys' | 'users'>, AsyncDisposable {
  /** The stored records of which the stores consist. */
  readonly records: StoredRecords;
  readonly journal: Journal;
  readonly callCounts: CallCounter;
  readonly budgets: BudgetStore;
  readonly pins: PinStore;
  readonly rules: RuleStore;
  readonly approvals: ApprovalStore;
  readonly oauth: OAuthStore;
  readonly accounts: AccountStore;
  readonly keys: KeyStore;
  readonly users: UserStore;
  readonly endedSessions: EndedSessionStore;
  readonly modelSettings: ModelSettingsStore;
  readonly toolOverrides: ToolOverrideStore;
  readonly conversations: ConversationStore;
  readonly savedRequests: SavedRequestStore;
  readonly vectors: VectorStore;
  readonly meta: MetaStore;
  /** Opens the records of one kind of a plugin. */
  readonly openPluginRecords: OpenPluginRecords;
  readonly audit: Audit;
  /** Undefined if no other process can use this storage. */
  readonly fleet?: FleetStore;
  /**
   * Seals every secret again with another key, in small steps; returns how many. After a crash, open the storage with the old
   * key and call it again with the same new key. When it resolves, only the new key opens the storage.
   */
  reseal(next: Sealer): Promise<number>;
  /** The records that only the key opens. */
  listSealed(): Promise<readonly SealedRecord[]>;
  /** Removes all records that only the key opens, and accepts the key of the next start. Rejects while other processes run. */
  discardSealed(): Promise<void>;
  /** Finishes pending writes, then closes. */
  close(): Promise<void>;
}

/** A record whose content is sealed. */
export interface SealedRecord {
  readonly kind: 'server' | 'provider' | 'account' | 'sign-in' | 'record of a plugin';
  readonly id?: string;
  readonly name: string;
}

interface CommonOptions {
  /** Larger results are left out of the journal; 262 144. */
  readonly maxResultBytes?: number;
  readonly clock?: Clock;
  readonly log?: Log;
}

export interface MemoryStorageOptions extends CommonOptions {
  readonly kind: 'memory';
}

export interface SqliteStorageOptions extends CommonOptions {
  readonly kind: 'sqlite';
  /** Created with its directory if it does not exist. One process at a time can use it. */
  readonly file: string;
  readonly sealer: Sealer;
  /** Opens the storage with any key, which opens no sealed record; false. */
  readonly isKeyless?: boolean;
  /** Opens the journal's files at once instead of with the first call; false. */
  readonly expectsCalls?: boolean;
}

export interface PostgresStorageOptions extends CommonOptions {
  readonly kind: 'postgres';
  readonly url: string;
  readonly sealer: Sealer;
  /** Opens the storage with any key, which opens no sealed record; false. */
  readonly isKeyless?: boolean;
  /** A process without a heartbeat for this long is gone, and its open calls are ended; 30 000. */
  readonly leaseMs?: number;
  /** Timeout of a query; 15 000. */
  readonly queryTimeoutMs?: number;
}

export type StorageOptions = MemoryStorageOptions | SqliteStorageOptions | PostgresStorageOptions;

/** Small named texts, such as versions and check values. They are not sealed: not for secrets. */
export interface MetaStore {
  get(name: string): Promise<string | undefined>;
  set(name: string, value: string): Promise<void>;
}
