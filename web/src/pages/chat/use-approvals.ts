import { useQuery } from '@tanstack/react-query';
import { type RefObject, useEffect, useMemo, useState } from 'react';
import type { Approval, Message } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';

export interface ConversationApprovals {
  /** Those for the dialog, oldest first. */
  readonly inFront: readonly Approval[];
  readonly open: boolean;
  /** Those put aside, by the id of the model's tool call: to be answered where the call is shown. */
  readonly aside: ReadonlyMap<string, Approval>;
  putAside(): void;
}

// Someone who is writing must not find a key they meant for the text answering a question.
const quietMs = 1_000;

/** What a person is asked in this conversation. `typedAt`: when they last wrote something. */
export function useApprovals(
  conversation: string,
  last: Message | undefined,
  typedAt: RefObject<number>,
): ConversationApprovals {
  const { data: pending } = useQuery(queries.approvals('pending'));
  const [asideIds, setAsideIds] = useState<ReadonlySet<string>>(new Set());
  const parts = last?.parts;

  const { inFront, aside } = useMemo(() => {
    const front: Approval[] = [];
    const set = new Map<string, Approval>();
    for (const part of parts ?? []) {
      if (part.type !== 'tool-call' || part.status !== 'asked') continue;
      const approval = pending?.find(
        ({ id, callId, caller }) =>
          caller.conversation === conversation && (id === part.approvalId || callId === part.callId),
      );
      if (!approval) continue;
      if (approval.mayAnswer && !asideIds.has(approval.id)) front.push(approval);
      else set.set(part.id, approval);
    }
    return { inFront: front, aside: set };
  }, [conversation, parts, pending, asideIds]);

  const open = useQuietMoment(inFront.length > 0, typedAt);
  return { inFront, open, aside, putAside: () => setAsideIds(new Set([...asideIds, ...inFront.map(({ id }) => id)])) };
}

/** Becomes true when it is wanted and nobody writes; false when it is no longer wanted. */
function useQuietMoment(wanted: boolean, typedAt: RefObject<number>): boolean {
  const [open, setOpen] = useState(false);
  useEffect(() => {
    if (!wanted) return setOpen(false);
    let timer: ReturnType<typeof setTimeout>;
    const look = () => {
      const leftMs = typedAt.current + quietMs - Date.now();
      if (leftMs <= 0) setOpen(true);
      else timer = setTimeout(look, leftMs);
    };
    look();
    return () => clearTimeout(timer);
  }, [wanted, typedAt]);
  return open;
}
