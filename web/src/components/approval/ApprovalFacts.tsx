import type { Approval } from '../../api/client.ts';
import { text } from '../../text/text.ts';
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
  return (
    <div className="flex min-w-0 flex-col gap-3">
      {!compact && (
        <p className="text-ink-soft">
          <Request approval={approval} />
        </p>
      )}
      {compact && (
        <p className="text-xs text-ink-soft">
          {text.approval.approvalFacts.approvalNeeded(safeText(approval.reason, 500))}
        </p>
      )}
      {approval.description !== '' && !compact && <Description text={approval.description} />}
      <ServerClaims annotations={approval.annotations} />
      {approval.change && (
        <Notice tone="warn" title={text.approval.approvalFacts.definitionChanged}>
          <div className="mt-2">
            <DefinitionDifference changes={approval.change} />
          </div>
        </Notice>
      )}
      <div className="flex min-w-0 flex-col gap-1">
        <p className="text-xs text-ink-soft">{text.common.arguments}</p>
        <ArgumentsView value={approval.arguments} />
      </div>
    </div>
  );
}

/** The caller, the place of the call, and the reason for the approval. */
function Request({ approval: { caller, reason } }: { readonly approval: Approval }) {
  const name = <strong className="font-semibold text-ink">{nameOfCaller(caller)}</strong>;
  const { requested, requestedInConversation } = text.approval.approvalFacts;
  const { conversation } = caller;
  if (conversation === undefined) return requested(name, kindOfCaller(caller), safeText(reason, 500));
  return requestedInConversation(name, kindOfCaller(caller), safeText(reason, 500), (label) => (
    <TextLink href={`/chat/${encodeURIComponent(conversation)}`}>{label}</TextLink>
  ));
}
