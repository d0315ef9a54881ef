import { useQuery } from '@tanstack/react-query';
import { type RefObject, useEffect, useMemo, useRef } from 'react';
import type { Approval, Message } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { inScriptOrder } from '../../components/approval/ScriptCode.tsx';
import { focusComposer } from './Composer.tsx';

/** The pending approvals of the last answer of a conversation, by the id of their tool call, in the order of the calls. */
export function useApprovals(
  conversation: string,
  last: Message | undefined,
): ReadonlyMap<string, readonly Approval[]> {
  const { data: pending } = useQuery(queries.pendingApprovals());
  const parts = last?.parts;
  return useMemo(() => {
    const byCall = new Map<string, readonly Approval[]>();
    for (const part of parts ?? []) {
      if (part.type !== 'tool-call' || part.status !== 'asked') continue;
      const own = (pending ?? []).filter(
        ({ id, callId, caller }) =>
          caller.conversation === conversation &&
          (id === part.approvalId || callId === part.callId || part.stepApprovalIds?.includes(id)),
      );
      if (own.length > 0) byCall.set(part.id, own.toSorted(inScriptOrder));
    }
    return byCall;
  }, [conversation, parts, pending]);
}

// A key meant for the message, or for the approval before, must not answer an approval.
const typingPauseMs = 1_000;
const checkMs = 100;

/**
 * Moves the focus from an empty message field to the first approval that the person may answer, so that one key answers it, and back
 * after the last one. The focus stays where the person moved it.
 */
export function useApprovalFocus(
  approvals: ReadonlyMap<string, readonly Approval[]>,
  field: RefObject<HTMLTextAreaElement | null>,
  typedAt: RefObject<number>,
): void {
  const first = [...approvals.values()].flat().find(({ mayAnswer }) => mayAnswer)?.id;
  const hadAny = useRef(false);
  useEffect(() => {
    const isFree = () =>
      document.activeElement === document.body ||
      (document.activeElement === field.current && field.current?.value === '');
    if (first === undefined) {
      if (hadAny.current && document.activeElement === document.body) focusComposer(field.current);
      hadAny.current = false;
      return undefined;
    }
    hadAny.current = true;
    const appearedAt = Date.now();
    const timer = setInterval(() => {
      if (Date.now() < Math.max(typedAt.current, appearedAt) + typingPauseMs) return;
      const panel = document.querySelector<HTMLElement>(`[data-approval="${CSS.escape(first)}"]`);
      if (!panel) return;
      clearInterval(timer);
      if (isFree()) panel.focus();
    }, checkMs);
    return () => clearInterval(timer);
  }, [first, field, typedAt]);
}
