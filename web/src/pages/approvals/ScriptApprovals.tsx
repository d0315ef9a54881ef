import type { Approval } from '../../api/client.ts';
import { ApprovalPanel } from '../../components/ApprovalPanel.tsx';
import { AllowAll } from '../../components/approval/AllowAll.tsx';
import { ScriptCode } from '../../components/approval/ScriptCode.tsx';
import { Card } from '../../components/Card.tsx';
import { TextLink } from '../../components/TextLink.tsx';
import { text } from '../../text/text.ts';

export interface ScriptApprovalsProps {
  /** The id of the script's call. */
  readonly script: string;
  /** The pending approvals of its calls. */
  readonly approvals: readonly Approval[];
  readonly onAnswered: () => void;
}

const words = text.approvals.script;

/** The calls of one script that await approval, with the script: answered all at once or one by one. */
export function ScriptApprovals({ script, approvals, onAnswered }: ScriptApprovalsProps) {
  return (
    <Card className="animate-appear flex flex-col gap-4 p-4" aria-label={words.title(approvals.length)}>
      <header className="flex flex-wrap items-center justify-between gap-2">
        <h2>{words.title(approvals.length)}</h2>
        <TextLink href={`/calls/${encodeURIComponent(script)}`}>{words.openCall}</TextLink>
      </header>
      <ScriptCode script={script} />
      <AllowAll approvals={approvals} canDeny />
      <ol className="flex flex-col divide-y divide-line">
        {approvals.map((approval) => (
          <li key={approval.id} className="py-3">
            <ApprovalPanel approval={approval} onAnswered={onAnswered} />
          </li>
        ))}
      </ol>
    </Card>
  );
}
