import type { Approval } from '../../api/client.ts';
import { ArgumentsView } from '../ArgumentsView.tsx';
import { DefinitionDifference } from '../DefinitionDifference.tsx';
import { Notice } from '../ErrorNotice.tsx';
import { Description } from '../ExpandableText.tsx';
import { safeText } from '../safe-text.ts';
import { TextLink } from '../TextLink.tsx';
import { kindOfCaller, nameOfCaller } from './labels.ts';
import { ServerClaims } from './ServerClaims.tsx';

export interface ApprovalFactsProps {
  readonly approval: Approval;
  /** Omits the caller and the tool, which are shown around it. */
  readonly compact?: boolean;
}

/** The facts of an approval: caller, reason, claims of the server, changes of the definition, arguments. */
export function ApprovalFacts({ approval, compact = false }: ApprovalFactsProps) {
  const { caller } = approval;
  return (
    <div className="flex min-w-0 flex-col gap-3">
      {!compact && (
        <p className="text-ink-soft">
          Requested by <strong className="font-semibold text-ink">{nameOfCaller(caller)}</strong> (
          {kindOfCaller(caller)})
          {caller.conversation !== undefined && (
            <>
              {' in '}
              <TextLink href={`/chat/${encodeURIComponent(caller.conversation)}`}>a conversation</TextLink>
            </>
          )}
          , because {safeText(approval.reason, 500)}.
        </p>
      )}
      {compact && <p className="text-xs text-ink-soft">Approval is needed because {safeText(approval.reason, 500)}.</p>}
      {approval.description !== '' && !compact && <Description text={approval.description} />}
      <ServerClaims annotations={approval.annotations} />
      {approval.change && (
        <Notice tone="warn" title="The definition changed since it was accepted">
          <div className="mt-2">
            <DefinitionDifference changes={approval.change} />
          </div>
        </Notice>
      )}
      <section aria-label="Arguments" className="flex min-w-0 flex-col gap-1">
        <h3 className="text-xs text-ink-soft">Arguments</h3>
        <ArgumentsView value={approval.arguments} />
      </section>
    </div>
  );
}
