import { useQuery } from '@tanstack/react-query';
import { type RefObject, useEffect, useMemo, useState } from 'react';
import type { Approval, Message } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { inScriptOrder } from '../../components/approval/ScriptCode.tsx';

export interface ConversationApprovals {
  /** Shown in the dialog, oldest first. */
  readonly inDialog: readonly Approval[];
  readonly open: boolean;
  /** Shown on the card of their call, or of the script that makes it, by the id of the tool call. */
  readonly deferred: ReadonlyMap<string, readonly Approval[]>;
  deferAll(): void;
}

// A key meant for the message must not answer an approval.
const typingPauseMs = 1_000;

/** The pending approvals of a conversation. `typedAt` is the time of the last keystroke in the message field. */
export function useApprovals(
  conversation: string,
  last: Message | undefined,
  typedAt: RefObject<number>,
): ConversationApprovals {
  const { data: pending } = useQuery(queries.pendingApprovals());
  const [deferredIds, setDeferredIds] = useState<ReadonlySet<string>>(new Set());
  const parts = last?.parts;

  const { inDialog, deferred } = useMemo(() => {
    const shown: Approval[] = [];
    const later = new Map<string, readonly Approval[]>();
    for (const part of parts ?? []) {
      if (part.type !== 'tool-call' || part.status !== 'asked') continue;
      const own = (pending ?? []).filter(
        ({ id, callId, caller }) =>
          caller.conversation === conversation &&
          (id === part.approvalId || callId === part.callId || part.stepApprovalIds?.includes(id)),
      );
      const isShown = ({ id, mayAnswer }: Approval) => mayAnswer && !deferredIds.has(id);
      shown.push(...own.filter(isShown));
      const left = own.filter((approval) => !isShown(approval)).toSorted(inScriptOrder);
      if (left.length > 0) later.set(part.id, left);
    }
    return { inDialog: shown, deferred: later };
  }, [conversation, parts, pending, deferredIds]);

  const open = useTypingPause(inDialog.length > 0, typedAt);
  return {
    inDialog,
    open,
    deferred,
    deferAll: () => setDeferredIds(new Set([...deferredIds, ...inDialog.map(({ id }) => id)])),
  };
}

/** True once it is wanted and the person has stopped typing. */
function useTypingPause(wanted: boolean, typedAt: RefObject<number>): boolean {
  const [open, setOpen] = useState(false);
  useEffect(() => {
    if (!wanted) return setOpen(false);
    let timer: ReturnType<typeof setTimeout>;
    const check = () => {
      const leftMs = typedAt.current + typingPauseMs - Date.now();
      if (leftMs <= 0) setOpen(true);
      else timer = setTimeout(check, leftMs);
    };
    check();
    return () => clearTimeout(timer);
  }, [wanted, typedAt]);
  return open;
}
