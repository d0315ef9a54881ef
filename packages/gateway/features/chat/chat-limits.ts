import { ToolwharfError } from '../../../contract/errors.ts';
import type { Conversation } from '../../../contract/records/conversation.ts';
import type { GatewayLimits } from '../../../contract/settings/gateway-config.ts';
import { createKeyedMutex } from '../../../toolwharf/kernel/mutex.ts';
import { type Identity, isOperator } from '../../core/auth/identity.ts';
import type { Chat } from './chat.ts';

export interface ChatLimitPorts {
  readonly conversations: Pick<Chat, 'list'>;
  readonly limits: GatewayLimits;
}

// Counting and starting are one step, so that simultaneous requests stay within the limit.
const perOwner = createKeyedMutex();

/** Creates a conversation, unless the caller has too many. */
export function createWithinLimit<Created>(
  identity: Identity,
  { conversations, limits }: ChatLimitPorts,
  create: () => Promise<Created>,
): Promise<Created> {
  if (isOperator(identity)) return create();
  const owner = identity.caller.id;
  return perOwner.run(owner, async () => {
    const max = limits.maxConversationsPerCaller;
    const own = await conversations.list({ owner, limit: max });
    if (own.length < max) return create();
    const message = `You have ${max} conversations: delete one first, or raise gateway.limits.maxConversationsPerCaller`;
    throw new ToolwharfError('LIMIT_REACHED', message, { data: { limit: 'conversations', max } });
  });
}

/** Starts an answer, unless too many answers in other conversations of the caller are running. */
export function answerWithinLimit<Answer>(
  identity: Identity,
  { id }: Pick<Conversation, 'id'>,
  { conversations, limits }: ChatLimitPorts,
  start: () => Promise<Answer>,
): Promise<Answer> {
  if (isOperator(identity)) return start();
  const owner = identity.caller.id;
  return perOwner.run(owner, async () => {
    const { maxRunningAnswersPerCaller: max, maxConversationsPerCaller: limit } = limits;
    const own = await conversations.list({ owner, limit });
    const running = own.filter((one) => one.id !== id && one.status !== 'idle');
    if (running.length < max) return start();
    const message = `${max} of your answers are running: wait until one has ended, or raise gateway.limits.maxRunningAnswersPerCaller`;
    const data = { limit: 'running_answers', max, retryAfterMs: 1_000 };
    throw new ToolwharfError('LIMIT_REACHED', message, { data });
  });
}
