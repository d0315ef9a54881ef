import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { Approval } from '../api/client.ts';
import { ApprovalPanel } from './ApprovalPanel.tsx';
import { useShortcuts } from './approval/use-shortcuts.ts';
import { Button, IconButton } from './Button.tsx';
import { Dialog } from './Dialog.tsx';

export interface ApprovalDialogProps {
  /** Those that wait. One that is answered, here or elsewhere, is no longer among them. */
  readonly approvals: readonly Approval[];
  readonly open: boolean;
  /** Put aside, or nothing left to answer. */
  readonly onClose: () => void;
}

/** Questions about calls in front of the page, one at a time, each answered on its own. */
export function ApprovalDialog({ approvals, open, onClose }: ApprovalDialogProps) {
  const start = useRef<HTMLDivElement>(null);
  // The oldest first: those that come meanwhile wait behind, and what one looks at stays where it is.
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
  // What is shown now stays shown when another one in front of it is answered elsewhere.
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
      title="May this tool run?"
      description="Nothing runs until you answer."
      initialFocus={start}
      footer={
        <div className="flex w-full flex-wrap items-center justify-between gap-2">
          {waiting.length > 1 ? (
            <nav aria-label="Questions" className="flex items-center gap-1">
              <IconButton label="Previous question" size="small" disabled={at === 0} onClick={() => goTo(at - 1)}>
                <ChevronLeft aria-hidden />
              </IconButton>
              <span aria-live="polite" className="tabular-nums">
                {at + 1} of {waiting.length}
              </span>
              <IconButton
                label="Next question"
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
            Put aside
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
