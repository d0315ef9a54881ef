/** The states of a task in MCP. */
export const taskStatuses = ['working', 'input_required', 'completed', 'failed', 'cancelled'] as const;

/** The state of a task in MCP. */
export type TaskStatus = (typeof taskStatuses)[number];

export const callStatuses = ['pending', 'running', 'success', 'error'] as const;

/** The status of a recorded call. */
export type CallStatus = (typeof callStatuses)[number];

/** Why a call ended as `error`. `tool`: the tool reported the error; Toolwharf sets the others. `expired`: nobody answered its approval. */
export const callEnds = [
  'tool',
  'denied',
  'expired',
  'cancelled',
  'timeout',
  'invalid',
  'unknown-outcome',
  'failed',
] as const;

/** Why a call ended as `error`. */
export type CallEnd = (typeof callEnds)[number];

/** Records besides those of tool calls: reads of a resource or prompt, searches for tools, and acts of administration. */
export const recordKinds = ['resource', 'prompt', 'search', 'administration'] as const;

export type RecordKind = (typeof recordKinds)[number];

/** Kinds of callers. */
export const callerKinds = ['program', 'assistant', 'client', 'person'] as const;
