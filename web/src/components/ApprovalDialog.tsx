import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { Approval } from '../api/client.ts';
import { ApprovalPanel } from './ApprovalPanel.tsx';
import { Button, IconButton } from './Button.tsx';
import { Dialog } from './Dialog.tsx';
import { useShortcuts } from './use-shortcuts.ts';

export interface ApprovalDialogProps {
  /** Pending approvals; an answered one must be removed from the list. */
  readonly approvals: readonly Approval[];
  readonly open: boolean;
  /** Called when the person decides later, or when nothing is pending any more. */
  readonly onClose: () => void;
}

/** Pending approvals in front of the page, one at a time. */
export function ApprovalDialog({ approvals, open, onClose }: ApprovalDialogProps) {
  const start = useRef<HTMLDivElement>(null);
  // Oldest first: a new approval is added at the end and does not move the current one.
  const waiting = approvals
    .filter(({ status }) => status === 'pending')
    .toSorted((one, other) => one.askedAt.localeCompare(other.askedAt));
  const [chosen, setChosen] = useState<{ readonly id: string; readonly at: number }>();
  const found = waiting.findIndex(({ id }) => id === chosen?.id);
  const at = Math.min(found >= 0 ? found : (chosen?.at ?? 0), waiting.length - 1);
  const approval = waiting[at];
  const isEmpty = waiting.length === 0;
  const latestClose = useRef(onClose);
  latestClose.current = onClose;
  useEffect(() => {
    if (open && isEmpty) latestClose.current();
  }, [open, isEmpty]);

  function goTo(next: number): void {
    const one = waiting[next];
    if (one) setChosen({ id: one.id, at: next });
  }
  // The current approval stays in view when an earlier one is answered elsewhere.
  const id = approval?.id;
  useEffect(() => {
    if (id !== undefined) setChosen({ id, at });
  }, [id, at]);
  useShortcuts(open && waiting.length > 1, {
    ArrowRight: () => goTo(at + 1),
    ArrowLeft: () => goTo(at - 1),
  });

  if (!approval) return null;
  return (
    <Dialog
      open={open}
      onClose={onClose}
      shape="wide"
      title="Allow this call?"
      description="The call runs only after you allow it."
      initialFocus={start}
      footer={
        <div className="flex w-full flex-wrap items-center justify-between gap-2">
          {waiting.length > 1 ? (
            <nav aria-label="Pending approvals" className="flex items-center gap-1">
              <IconButton label="Previous approval" size="small" disabled={at === 0} onClick={() => goTo(at - 1)}>
                <ChevronLeft aria-hidden />
              </IconButton>
              <span aria-live="polite" className="tabular-nums">
                {at + 1} of {waiting.length}
              </span>
              <IconButton
                label="Next approval"
                size="small"
                disabled={at === waiting.length - 1}
                onClick={() => goTo(at + 1)}
              >
                <ChevronRight aria-hidden />
              </IconButton>
            </nav>
          ) : (
            <span />
          )}
          <Button look="quiet" onClick={onClose}>
            Decide later
          </Button>
        </div>
      }
    >
      <div ref={start} tabIndex={-1} className="outline-none">
        <ApprovalPanel key={approval.id} approval={approval} shortcuts />
      </div>
    </Dialog>
  );
}
