import { randomUUID } from 'node:crypto';
import { readModelCall } from '../bridges/shared/call-by-provider-name.ts';
import { anyProviderRules } from '../bridges/shared/provider-rules.ts';
import { createId } from '../kernel/create-id.ts';
import type { Message, ToolCallPart } from '../storage/ports/conversation-store.ts';
import { callTool, type ModelTools, readCalledTool } from './model-tools.ts';
import { toStoredResult } from './stored-result.ts';
import type { RequestedCall } from './take-turn.ts';

export interface CallPartOptions {
  readonly tools: ModelTools;
  readonly messages: readonly Message[];
  readonly now: string;
}

/**
 * The message part of a requested call: `waiting`, or `error` if the call is not possible. A call through `call_tool` is the part
 * of the tool itself.
 */
export function toCallPart(call: RequestedCall, { tools, messages, now }: CallPartOptions): ToolCallPart {
  const shown = readModelCall(tools.shown, { name: call.name, args: call.input }, anyProviderRules);
  const isThrough = tools.exposed === 'search' && !shown.problem && shown.tool.name === callTool;
  const called = isThrough ? readCalledTool(shown.args, tools.all) : undefined;
  const read = called ? { ...called, problem: undefined } : shown;
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
