import type { IncomingMessage } from 'node:http';
import { ToolwharfError } from '../../../../contract/errors.ts';
import type { GatewayLimits } from '../../../../contract/settings/gateway-config.ts';
import type { ArgumentLimits } from '../../../../toolwharf/invocation/argument-budget.ts';
import type { CallerLimits } from '../../../../toolwharf/invocation/permits.ts';
import type { Identity } from '../../auth/identity.ts';
import { createFairTurns } from './fair-turns.ts';
import { createHeapPressure, type HeapPressure } from './heap-pressure.ts';
import { createQuota, type Quota, type QuotaCaller, type Reservation } from './quota.ts';
import { readJsonBody, weighText } from './request-body.ts';
import { createResultMemory, type RequestResults, type ResultMemory, type ResultResponse } from './result-memory.ts';
import { createUnsentBytes, type UnsentBytes } from './unsent-bytes.ts';

/** The resources that callers share. */
export type Resource = 'sessions' | 'streams' | 'subscriptions' | 'reads' | 'request_bytes';

/** The limits that apply to one caller. */
export interface CallerUsage {
  readonly caller: QuotaCaller;
  /** Reserves a part of a resource; see `Quota.reserve`. */
  reserve(resource: Resource, amount?: number, free?: Parameters<Quota['reserve']>[2]): Reservation;
  /** Reads a JSON body. The body counts against the caller's limit until `reservation` is disposed. */
  readBody(request: IncomingMessage, reservation: Reservation): Promise<unknown>;
  /** Resolves when a JSON text of a request may be parsed. Rejects if it has too many members. */
  weighText(text: string): Promise<void>;
  /** Counts the results that servers send for a request, until the response is sent. */
  openResults(response: ResultResponse): RequestResults;
  /** The limits of the caller's calls; undefined if only those for all callers apply. */
  readonly calls: CallerLimits | undefined;
}

/** The limits on the resources that callers consume. */
export interface Limits {
  for(identity: Identity): CallerUsage;
  /** Throws `OVERLOADED` if the gateway is about to run out of memory. */
  assertMemory(): void;
  /** Arguments that are larger than their request have the same limit, and share the caller's turns. */
  readonly arguments: ArgumentLimits;
  readonly quotas: readonly Pick<Quota, 'name' | 'used' | 'limit' | 'refusals'>[];
  readonly unsent: UnsentBytes;
  readonly results: ResultMemory;
  readonly heap: HeapPressure;
  /** The number of requests that were rejected because of the heap. */
  readonly heapRefusals: number;
}

export interface LimitsOptions {
  readonly settings: () => GatewayLimits;
}

const largeBodyBytes = 64 * 1024;
const maxDefaultBytes = 256 * 1024 * 1024;

export function createLimits({ settings }: LimitsOptions): Limits {
  const heap = createHeapPressure();
  // Parsed values, their JSON for the journal and their hashes need several times the size of the text.
  const defaultBytes = Math.min(maxDefaultBytes, Math.floor(heap.limitBytes / 8));
  const quotas: Readonly<Record<Resource, Quota>> = {
    sessions: createQuota({
      name: 'sessions',
      unit: 'open sessions',
      key: 'maxSessions',
      limits: () => ({ total: settings().maxSessions, perCaller: settings().maxSessionsPerCaller }),
    }),
    streams: createQuota({
      name: 'streams',
      unit: 'open streams',
      key: 'maxStreams',
      limits: () => ({ total: settings().maxStreams, perCaller: settings().maxStreamsPerCaller }),
    }),
    subscriptions: createQuota({
      name: 'subscriptions',
      unit: 'subscribed resources',
      key: 'maxSubscriptions',
      limits: () => ({ total: settings().maxSubscriptions, perCaller: settings().maxSubscriptionsPerCaller }),
    }),
    reads: createQuota({
      name: 'reads',
      unit: 'reads, searches and completions in progress',
      key: 'maxReads',
      limits: () => ({ total: settings().maxReads, perCaller: settings().maxReadsPerCaller }),
    }),
    request_bytes: createQuota({
      name: 'request_bytes',
      unit: 'bytes of requests in progress',
      key: 'maxRequestBytes',
      limits() {
        const { maxRequestBytes: total = defaultBytes } = settings();
        return { total, perCaller: settings().maxRequestBytesPerCaller ?? Math.floor(total / 4) };
      },
    }),
  };
  const results = createResultMemory({
    limits() {
      const { maxResultMemoryBytes: total = defaultBytes } = settings();
      return { total, perCaller: settings().maxResultMemoryBytesPerCaller ?? Math.floor(total / 2) };
    },
    slowClientMs: () => settings().slowClientTimeoutMs,
  });
  const unsent = createUnsentBytes({
    limits() {
      const { maxUnsentBytes: total = defaultBytes } = settings();
      return { total, perCaller: settings().maxUnsentBytesPerCaller ?? Math.floor(total / 4) };
    },
  });
  const turns = createFairTurns();
  let heapRefusals = 0;
  /** Many requests have the same identity object. */
  const usages = new WeakMap<Identity, CallerUsage>();

  function usageOf({ caller: { id }, via }: Identity): CallerUsage {
    const caller: QuotaCaller = { id, isLimited: via !== 'loopback' };
    return {
      caller,
      reserve: (resource, amount, free) => quotas[resource].reserve(caller, amount, free),
      readBody(request, reservation) {
        const declared = request.headers['content-length'];
        const isLarge = declared === undefined || Number(declared) > largeBodyBytes;
        if (isLarge && heap.level() !== 'normal') return Promise.reject(overloaded());
        return readJsonBody(request, settings(), reservation, (costMs) => turns.take(id, costMs));
      },
      weighText: (text) => weighText(text, settings(), (costMs) => turns.take(id, costMs)),
      openResults: (response) => results.open(caller, response),
      get calls() {
        if (!caller.isLimited) return undefined;
        const { maxRunningCallsPerCaller: maxRunning, maxQueuedCallsPerCaller: maxQueued } = settings();
        return { maxRunning, maxQueued };
      },
    };
  }

  function overloaded(): ToolwharfError {
    heapRefusals++;
    const message = 'The gateway is short of memory: try again later';
    return new ToolwharfError('OVERLOADED', message, { data: { limit: 'heap', retryAfterMs: 2_000 } });
  }

  return {
    arguments: { maxMembers: () => settings().maxBodyMembers, takeTurn: turns.take },
    quotas: [...Object.values(quotas), unsent, results],
    unsent,
    results,
    heap,
    get heapRefusals() {
      return heapRefusals;
    },
    assertMemory() {
      if (heap.level() === 'critical') throw overloaded();
    },
    for(identity) {
      const known = usages.get(identity);
      if (known) return known;
      const usage = usageOf(identity);
      usages.set(identity, usage);
      return usage;
    },
  };
}
