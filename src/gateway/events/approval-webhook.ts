import { createHmac, randomUUID } from 'node:crypto';
import type { WebhookConfig } from '../../config/config.ts';
import { type Environment, resolveReference } from '../../config/references.ts';
import { type Clock, systemClock } from '../../kernel/clock.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import type { ApprovalRequest } from '../../policy/approval.ts';
import type { Toolbox } from '../../toolbox.ts';

export interface ApprovalWebhookOptions {
  readonly toolbox: Pick<Toolbox, 'on' | 'config'>;
  readonly env: Environment;
  readonly log: Log;
  readonly stopping: AbortSignal;
  readonly clock?: Clock;
  /** Attempts for one message; 6. */
  readonly maxAttempts?: number;
  /** The wait before the second attempt; it doubles each time; 1 000. */
  readonly firstWaitMs?: number;
  /** 10 000. */
  readonly timeoutMs?: number;
  /** Messages on their way at a time; one more is dropped; 100. */
  readonly maxOpen?: number;
}

/**
 * Tells `gateway.webhook` of every question to a person. A message is signed, sent again with patience until the question's time is
 * over, and never holds up a call. Returns what ends it.
 */
export function startApprovalWebhook(options: ApprovalWebhookOptions): () => void {
  const { toolbox, env, log, stopping, maxOpen = 100 } = options;
  let open = 0;
  return toolbox.on('approval.asked', (request) => {
    const { webhook } = toolbox.config.gateway;
    if (!webhook) return;
    if (open >= maxOpen) {
      log.warning('webhook.dropped', `The webhook was not told of question ${request.id}: ${maxOpen} are on their way`);
      return;
    }
    open++;
    deliver(request, webhook, options)
      .catch((cause) => {
        if (stopping.aborted) return;
        log.warning('webhook.failed', `The webhook was not told of question ${request.id}: ${messageOf(cause)}`);
      })
      .finally(() => {
        open--;
      });
  });

  async function deliver(request: ApprovalRequest, webhook: WebhookConfig, settings: ApprovalWebhookOptions) {
    const { clock = systemClock, maxAttempts = 6, firstWaitMs = 1_000 } = settings;
    const secret = webhook.secret === undefined ? undefined : resolveReference(webhook.secret, env);
    if (secret === '') throw new Error('its secret is empty: is the variable or file it comes from set?');
    const delivery = randomUUID();
    const path = `/api/approvals/${request.id}/answer`;
    const body = JSON.stringify({ type: 'approval.asked', approval: request, answerPath: path });
    for (let attempt = 1; ; attempt++) {
      const outcome = await send(webhook.url, body, { delivery, secret });
      if (outcome === 'taken') return;
      if (!outcome.again || attempt >= maxAttempts) throw new Error(outcome.why);
      const waitMs = firstWaitMs * 2 ** (attempt - 1) * (0.5 + Math.random());
      if (clock.now() + waitMs > Date.parse(request.expiresAt)) throw new Error(`${outcome.why}; its time is over`);
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
      if (response.ok) return 'taken' as const;
      const { status } = response;
      return { why: `it answered ${status}`, again: status >= 500 || status === 408 || status === 429 };
    } catch (cause) {
      return { why: messageOf(cause), again: !stopping.aborted };
    }
  }
}

/** The time is signed too, so that a message can't be sent once more later. */
function signatureOf(secret: string, time: number, body: string): string {
  return `sha256=${createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')}`;
}
