import { createHmac, randomUUID } from 'node:crypto';
import type { WebhookConfig } from '../../config/gateway-config.ts';
import { type Environment, resolveReference } from '../../config/references.ts';
import { type Clock, systemClock } from '../../kernel/clock.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import type { ApprovalRequest } from '../../policy/approval.ts';
import type { InternalToolbox } from '../../toolbox.ts';

export interface ApprovalWebhookOptions {
  readonly toolbox: Pick<InternalToolbox, 'on' | 'config'>;
  readonly env: Environment;
  readonly log: Log;
  readonly stopping: AbortSignal;
  readonly clock?: Clock;
  /** Delivery attempts per approval; 6. */
  readonly maxAttempts?: number;
  /** Delay before the second attempt; doubles with each attempt; 1 000. */
  readonly backoffMs?: number;
  /** Timeout of one attempt; 10 000. */
  readonly timeoutMs?: number;
  /** Concurrent deliveries; further ones are dropped; 100. */
  readonly maxConcurrent?: number;
}

/**
 * Posts every new approval to `gateway.webhook`. A delivery is signed, retried with backoff until the approval expires, and never
 * delays a call. Returns a function that stops it.
 */
export function startApprovalWebhook(options: ApprovalWebhookOptions): () => void {
  const { toolbox, env, log, stopping, maxConcurrent = 100 } = options;
  let running = 0;
  return toolbox.on('approval.asked', (request) => {
    const { webhook } = toolbox.config.gateway;
    if (!webhook) return;
    if (running >= maxConcurrent) {
      log.warning(
        'webhook.dropped',
        `Approval ${request.id} was not sent to the webhook: ${maxConcurrent} deliveries are running`,
      );
      return;
    }
    running++;
    deliver(request, webhook, options)
      .catch((cause) => {
        if (stopping.aborted) return;
        log.warning('webhook.failed', `Approval ${request.id} could not be sent to the webhook: ${messageOf(cause)}`);
      })
      .finally(() => {
        running--;
      });
  });

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
      if (!outcome.retry || attempt >= maxAttempts) throw new Error(outcome.reason);
      const waitMs = backoffMs * 2 ** (attempt - 1) * (0.5 + Math.random());
      if (clock.now() + waitMs > Date.parse(request.expiresAt))
        throw new Error(`${outcome.reason}; the approval expires before the next attempt`);
      await clock.sleep(waitMs, stopping);
    }
  }

  async function send(
    url: string,
    body: string,
    { delivery, secret }: { delivery: string; secret: string | undefined },
  ) {
    const { clock = systemClock, timeoutMs = 10_000 } = options;
    const time = Math.floor(clock.now() / 1_000);
    try {
      const response = await fetch(url, {
        method: 'POST',
        redirect: 'manual',
        signal: AbortSignal.any([stopping, AbortSignal.timeout(timeoutMs)]),
        headers: {
          'content-type': 'application/json',
          'x-toolwharf-delivery': delivery,
          'x-toolwharf-timestamp': String(time),
          ...(secret !== undefined && { 'x-toolwharf-signature': signatureOf(secret, time, body) }),
        },
        body,
      });
      await response.body?.cancel();
      if (response.ok) return 'delivered' as const;
      const { status } = response;
      return { reason: `it answered ${status}`, retry: status >= 500 || status === 408 || status === 429 };
    } catch (cause) {
      return { reason: messageOf(cause), retry: !stopping.aborted };
    }
  }
}

/** Covers the timestamp, so that receivers can reject replays. */
function signatureOf(secret: string, time: number, body: string): string {
  return `sha256=${createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')}`;
}
