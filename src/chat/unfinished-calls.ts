import type { MessagePart } from '../storage/ports/conversation-store.ts';

/** The places of the calls of an answer that have not been made. */
export function unfinishedCalls(parts: readonly MessagePart[]): number[] {
  return parts.flatMap((part, index) =>
    part.type === 'tool-call' && (part.status === 'waiting' || part.status === 'asked') ? [index] : [],
  );
}
