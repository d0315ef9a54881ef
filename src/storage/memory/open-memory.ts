import { createMemoryOAuthStore } from '../../connections/authentication/oauth-store.ts';
import { systemClock } from '../../kernel/clock.ts';
import type { MemoryStorageOptions, Storage } from '../storage.ts';
import { createMemoryApprovals } from './memory-approvals.ts';
import { createMemoryChain } from './memory-chain.ts';
import { createMemoryConversations } from './memory-conversations.ts';
import { createMemoryJournal } from './memory-journal.ts';
import {
  createMemoryAccounts,
  createMemoryAssistants,
  createMemoryKeys,
  createMemoryMeta,
  createMemoryModelSettings,
  createMemoryPins,
  createMemoryProfiles,
  createMemoryProviders,
  createMemoryRules,
  createMemorySavedRequests,
  createMemoryScripts,
  createMemoryServers,
  createMemoryToolOverrides,
  createMemoryUsers,
  createMemoryVectors,
} from './memory-stores.ts';

/** Storage in memory. Nothing is sealed, since nothing is written. */
export function openMemory(options: Omit<MemoryStorageOptions, 'kind'> = {}): Storage {
  const { maxResultBytes = 262_144, clock = systemClock } = options;
  const { journal, audit } = createMemoryChain(createMemoryJournal({ maxResultBytes }), { maxResultBytes, clock });
  const approvals = createMemoryApprovals();
  const close = async () => {};
  return {
    journal,
    audit: {
      ...audit,
      async retain(limits) {
        const removed = await audit.retain(limits);
        if (limits.maxAgeMs !== undefined) approvals.forget(clock.now() - limits.maxAgeMs);
        return removed;
      },
    },
    pins: createMemoryPins(),
    rules: createMemoryRules(),
    approvals,
    servers: createMemoryServers(),
    oauth: createMemoryOAuthStore(),
    accounts: createMemoryAccounts(),
    keys: createMemoryKeys(),
    users: createMemoryUsers(),
    assistants: createMemoryAssistants(),
    providers: createMemoryProviders(),
    modelSettings: createMemoryModelSettings(),
    profiles: createMemoryProfiles(),
    scripts: createMemoryScripts(),
    toolOverrides: createMemoryToolOverrides(),
    conversations: createMemoryConversations(),
    savedRequests: createMemorySavedRequests(),
    vectors: createMemoryVectors(),
    meta: createMemoryMeta(),
    reseal: async () => 0,
    close,
    [Symbol.asyncDispose]: close,
  };
}
