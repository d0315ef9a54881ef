import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { Approval } from '../api/client.ts';
import { formatNumber } from '../text/formats.ts';
import { ApprovalPanel } from './ApprovalPanel.tsx';
import { AllowAll } from './approval/AllowAll.tsx';
import { inScriptOrder, ScriptCode } from './approval/ScriptCode.tsx';
import { Button, IconButton } from './Button.tsx';
import { Dialog } from './Dialog.tsx';
import { safeText } from './safe-text.ts';
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
    .toSorted((one, other) => one.askedAt.localeCompare(other.askedAt) || inScriptOrder(one, other));
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
  const { access } = approval;
  return (
    <Dialog
      open={open}
      onClose={onClose}
      shape="wide"
      title={
        access === undefined
          ? 'Allow this call?'
          : `Let ${safeText(approval.server, 60)} reach ${safeText(access, 100)}?`
      }
      description={
        access === undefined
          ? 'The call runs only after you allow it.'
          : 'The call is running, and waits for your answer.'
      }
      initialFocus={start}
      footer={
        <div className="flex w-full flex-wrap items-center justify-between gap-2">
          {waiting.length > 1 ? (
            <nav aria-label="Pending approvals" className="flex items-center gap-1">
              <IconButton
                label="Previous approval"
                size="small"
                disabled={at === 0}
                onClick={() => goTo(at - 1)}
                icon={ChevronLeft}
              />
              <span aria-live="polite" className="tabular-nums">
                {`${formatNumber(at + 1)} of ${formatNumber(waiting.length)}`}
              </span>
              <IconButton
                label="Next approval"
                size="small"
                disabled={at === waiting.length - 1}
                onClick={() => goTo(at + 1)}
                icon={ChevronRight}
              />
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
      <div ref={start} tabIndex={-1} className="flex flex-col gap-4 outline-none">
        {approval.script && <ScriptCode script={approval.script.call} />}
        {waiting.length > 1 && <PendingCalls approvals={waiting} />}
        <ApprovalPanel key={approval.id} approval={approval} takesAllKeys />
      </div>
    </Dialog>
  );
}

interface PendingCallsProps {
  readonly approvals: readonly Approval[];
}

/** The list of all pending calls, with buttons that answer exactly these. */
function PendingCalls({ approvals }: PendingCallsProps) {
  return (
    <details open className="rounded-md border border-line px-3 py-2">
      <summary className="cursor-pointer font-medium">
        {`Show all ${formatNumber(approvals.length)} pending calls`}
      </summary>
      <ol aria-label="Pending calls" className="mt-2 max-h-60 divide-y divide-line overflow-y-auto">
        {approvals.map(({ id, originalName, server, arguments: args }) => (
          <li key={id} className="py-1.5">
            <p className="font-mono text-xs font-semibold break-all">
              {safeText(originalName, 120)}
              {server !== undefined && (
                <span className="ml-2 font-sans font-normal text-ink-soft">{safeText(server, 100)}</span>
              )}
            </p>
            <code className="text-xs break-all text-ink-soft">{safeText(JSON.stringify(args), 2_000)}</code>
          </li>
        ))}
      </ol>
      <div className="mt-2">
        <AllowAll approvals={approvals} />
      </div>
    </details>
  );
}
