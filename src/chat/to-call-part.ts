import { randomUUID } from 'node:crypto';
import { readModelCall } from '../bridges/shared/call-by-provider-name.ts';
import { anyProviderRules } from '../bridges/shared/provider-rules.ts';
import { createId } from '../kernel/create-id.ts';
import type { Tool } from '../kernel/tool.ts';
import type { Message, ToolCallPart } from '../storage/ports/conversation-store.ts';
import { keepResult } from './keep-result.ts';
import type { WantedCall } from './take-turn.ts';

export interface CallPartOptions {
  /** What the model was shown. */
  readonly tools: readonly Tool[];
  /** All that was said so far. */
  readonly messages: readonly Message[];
  readonly now: string;
}

/** A model's call as a part of its answer: `waiting`, or `error` where there is nothing to call. */
export function toCallPart(call: WantedCall, { tools, messages, now }: CallPartOptions): ToolCallPart {
  const read = readModelCall(tools, { name: call.name, args: call.input }, anyProviderRules);
  const { tool } = read;
  const common = {
    type: 'tool-call' as const,
    id: isTaken(call.id, messages) ? randomUUID() : call.id,
    name: call.name,
    ...(tool && { tool: tool.name, originalName: tool.originalName }),
    ...(tool?.server !== undefined && { server: tool.server }),
    ...(call.metadata && { metadata: call.metadata }),
  };
  if (read.problem)
    return { ...common, arguments: {}, status: 'error', result: keepResult(read.problem), completedAt: now };
  return { ...common, callId: createId(), arguments: { ...read.args }, status: 'waiting' };
}

/** Some providers number their calls from the start in each turn, or not at all. */
function isTaken(id: string, messages: readonly Message[]): boolean {
  const parts = messages.flatMap((message) => message.parts);
  return id === '' || parts.some((part) => part.type === 'tool-call' && part.id === id);
}
