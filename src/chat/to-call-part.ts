import { randomUUID } from 'node:crypto';
import { readModelCall } from '../bridges/shared/call-by-provider-name.ts';
import { anyProviderRules } from '../bridges/shared/provider-rules.ts';
import { createId } from '../kernel/create-id.ts';
import type { Tool } from '../kernel/tool.ts';
import type { Message, ToolCallPart } from '../storage/ports/conversation-store.ts';
import { toStoredResult } from './stored-result.ts';
import type { RequestedCall } from './take-turn.ts';

export interface CallPartOptions {
  /** The tools shown to the model. */
  readonly tools: readonly Tool[];
  readonly messages: readonly Message[];
  readonly now: string;
}

/** The message part of a requested call: `waiting`, or `error` if the call is not possible. */
export function toCallPart(call: RequestedCall, { tools, messages, now }: CallPartOptions): ToolCallPart {
  const read = readModelCall(tools, { name: call.name, args: call.input }, anyProviderRules);
  const { tool } = read;
  const common = {
    type: 'tool-call' as const,
    id: isTaken(call.id, messages) ? randomUUID() : call.id,
    name: call.name,
    tool: tool?.name,
    originalName: tool?.originalName,
    server: tool?.server,
    metadata: call.metadata,
  };
  if (read.problem)
    return { ...common, arguments: {}, status: 'error', result: toStoredResult(read.problem), completedAt: now };
  return { ...common, callId: createId(), arguments: { ...read.args }, status: 'waiting' };
}

/** Some providers reuse call ids in each turn, or send none. */
function isTaken(id: string, messages: readonly Message[]): boolean {
  const parts = messages.flatMap((message) => message.parts);
  return id === '' || parts.some((part) => part.type === 'tool-call' && part.id === id);
}
