import { randomUUID } from 'node:crypto';
import { messageOf } from '../../../contract/errors.ts';
import type { WebhookConfig } from '../../../contract/settings/gateway-config.ts';
import { type Environment, resolveReference } from '../../../toolwharf/config/references.ts';
import { type Clock, systemClock } from '../../../toolwharf/kernel/clock.ts';
import type { Log } from '../../../toolwharf/kernel/log.ts';
import { definePlugin, type Plugin } from '../../../toolwharf/plugins/plugin.ts';
import type { ApprovalRequest } from '../../../toolwharf/policy/approval.ts';
import { postMessage, signedHeaders } from './post-message.ts';

export interface ApprovalWebhookOptions {
  readonly webhook: () => WebhookConfig | undefined;
  readonly env: Environment;
  readonly log: Log;
  readonly stopping: AbortSignal;
  /** The person behind a caller id, whose identities share the deliveries of one caller. */
  readonly personOf: (callerId: string) => Promise<string>;
  readonly clock?: Clock;
  /** Delivery attempts per approval; 6. */
  readonly maxAttempts?: number;
  /** Delay before the second attempt; doubles with each attempt; 1 000. */
  readonly backoffMs?: number;
  /** Timeout of one attempt; 10 000. */
  readonly timeoutMs?: number;
  /** Concurrent deliveries; a quarter of them for one caller. Further ones wait, callers in turn; 100. */
  readonly maxConcurrent?: number;
  /** Waiting deliveries of one caller; further ones are dropped; 100. */
  readonly maxWaitingPerCaller?: number;
}

/** Posts every new approval to `gateway.webhook`. A delivery is signed, and retried with backoff until the approval expires. */
export function createApprovalWebhook(options: ApprovalWebhookOptions): Plugin {
  const { env, log, stopping, personOf, maxConcurrent = 100, maxWaitingPerCaller = 100 } = options;
  const maxPerCaller = Math.ceil(maxConcurrent / 4);
  const running = new Map<string, number>();
  // The first caller is next.
  const waiting = new Map<string, ApprovalRequest[]>();
  let total = 0;

  async function enqueue(request: ApprovalRequest): Promise<void> {
    if (!options.webhook()) return;
    const id = request.caller.user ?? request.caller.id;
    const caller = await personOf(id).catch(() => id);
    const webhook = options.webhook();
    if (!webhook) return;
    const before = waiting.get(caller) ?? [];
    if (before.length >= maxWaitingPerCaller) {
      const message = `Approval ${request.id} was not sent to the webhook: ${before.length} deliveries of its caller wait`;
      log.warning('webhook.dropped', message);
      return;
    }
    waiting.set(caller, [...before, request]);
    startNext(webhook);
  }

  /** Starts deliveries while there are free places, callers in turn. */
  function startNext(webhook: WebhookConfig): void {
    for (const [caller, requests] of waiting) {
      if (total >= maxConcurrent) return;
      const own = running.get(caller) ?? 0;
      const [request, ...rest] = requests;
      if (own >= maxPerCaller || !request) continue;
      waiting.delete(caller);
      // At the end: this loop comes to it again.
      if (rest.length > 0) waiting.set(caller, rest);
      total++;
      running.set(caller, own + 1);
      deliver(request, webhook, options)
        .catch((cause) => {
          if (stopping.aborted) return;
          log.warning('webhook.failed', `Approval ${request.id} could not be sent to the webhook: ${messageOf(cause)}`);
        })
        .finally(() => {
          total--;
          const left = (running.get(caller) ?? 1) - 1;
          if (left > 0) running.set(caller, left);
          else running.delete(caller);
          startNext(webhook);
        });
    }
  }

  async function deliver(request: ApprovalRequest, webhook: WebhookConfig, settings: ApprovalWebhookOptions) {
    const { clock = systemClock, maxAttempts = 6, backoffMs = 1_000 } = settings;
    const secret = webhook.secret === undefined ? undefined : resolveReference(webhook.secret, env);
    if (secret === '') throw new Error('its secret is empty: check the variable or file it is read from');
    const delivery = randomUUID();
    const path = `/api/approvals/${request.id}/answer`;
    const body = JSON.stringify({ type: 'approval.asked', approval: request, answerPath: path });
    for (let attempt = 1; ; attempt++) {
      const outcome = await send(webhook.url, body, { delivery, secret });
      if (outcome === 'delivered') return;
      if (!outcome.retry || stopping.aborted || attempt >= maxAttempts) throw new Error(outcome.reason);
      const waitMs = backoffMs * 2 ** (attempt - 1) * (0.5 + Math.random());
      if (clock.now() + waitMs > Date.parse(request.expiresAt))
        throw new Error(`${outcome.reason}; the approval expires before the next attempt`);
      await clock.sleep(waitMs, stopping);
    }
  }

  function send(url: string, body: string, { delivery, secret }: { delivery: string; secret: string | undefined }) {
    const { clock = systemClock, timeoutMs = 10_000 } = options;
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(timeoutMs)]);
    return postMessage(url, body, { headers: signedHeaders(body, { secret, now: clock.now(), delivery }), signal });
  }

  return definePlugin({
    name: 'toolwharf.notifications',
    async notify({ type, request }) {
      if (type === 'approval.waiting') await enqueue(request);
    },
  });
}
