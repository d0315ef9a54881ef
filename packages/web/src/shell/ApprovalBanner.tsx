import { useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { Approval } from '../api/client.ts';
import { queries } from '../api/queries.ts';
import { ApprovalDialog } from '../components/ApprovalDialog.tsx';
import { Button, IconButton } from '../components/Button.tsx';
import { safeText } from '../components/safe-text.ts';
import { plural } from '../text/plural.ts';

/** Says on pages that do not show them that calls await an answer, and answers them in a dialog. Its button hides it until the next one. */
export function ApprovalBanner({ pending }: { readonly pending: readonly Approval[] }) {
  const approvals = useOtherApprovals(pending);
  const [open, setOpen] = useState(false);
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const close = () => {
    setOpen(false);
    setHidden(new Set(approvals.map(({ id }) => id)));
  };
  if (approvals.every(({ id }) => !open && hidden.has(id))) return null;
  const [first] = approvals;
  const names = first && `${first.server === undefined ? '' : `${first.server}/`}${first.originalName}`;
  return (
    <section
      aria-label="Pending approvals"
      className="sticky top-0 z-20 flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-warn/50 bg-warn-soft px-4 py-1.5 max-md:top-13"
    >
      <p role="status" className="min-w-0 flex-1 break-words text-warn">
        {approvals.length === 1
          ? `A call of ${safeText(names, 120)} awaits your approval.`
          : `${plural(approvals.length, 'call')} await your approval.`}
      </p>
      <Button size="small" onClick={() => setOpen(true)}>
        Review
      </Button>
      <IconButton label="Decide later" size="small" onClick={close} icon={X} />
      <ApprovalDialog approvals={approvals} open={open} onClose={close} />
    </section>
  );
}

/** The approvals that the person may answer and the page does not show. */
function useOtherApprovals(pending: readonly Approval[]): readonly Approval[] {
  const [location] = useLocation();
  const self = useQuery(queries.session()).data?.caller?.id;
  if (location === '/approvals') return [];
  const showsOwnCalls = location.startsWith('/tools') || location.startsWith('/profiles');
  return pending.filter(
    ({ mayAnswer, caller: { id, conversation } }) =>
      mayAnswer && location !== `/chat/${conversation}` && !(showsOwnCalls && id === self),
  );
}
