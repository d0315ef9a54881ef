import { useQuery } from '@tanstack/react-query';
import { Check } from 'lucide-react';
import { useState } from 'react';
import type { ReportedTool, ToolProblem, ToolReport } from '../../../../contract/api/tool-report.ts';
import { api } from '../../api/client.ts';
import { Badge } from '../../components/Badge.tsx';
import { Button } from '../../components/Button.tsx';
import { Card } from '../../components/Card.tsx';
import { Facts } from '../../components/FactList.tsx';
import { SelectField } from '../../components/fields.tsx';
import { LongList } from '../../components/LongList.tsx';
import { QueryState } from '../../components/QueryState.tsx';
import { safeText } from '../../components/safe-text.ts';
import { TextLink } from '../../components/TextLink.tsx';
import { toolAddress } from '../../components/tool-address.ts';
import { useAction } from '../../components/use-action.ts';
import { formatNumber } from '../../text/formats.ts';
import { plural } from '../../text/plural.ts';

const periods = { 7: '7 days', 30: '30 days', 90: '90 days' };

const problems: Readonly<Record<ToolProblem, string>> = {
  'no-description': 'No description',
  'useless-description': 'Poor description',
  'undescribed-parameters': 'Parameters without description',
  confusable: 'Easy to confuse',
  refused: 'Refused by a provider',
  unused: 'Never called',
};

/** The tools with problems, what they cost, and descriptions that would help. */
export default function ReportTab() {
  const [days, setDays] = useState(30);
  const [kind, setKind] = useState('');
  const report = useQuery({
    queryKey: ['tool-report', days],
    queryFn: ({ signal }) => api.reportTools({ query: { days }, signal }),
  });
  const shown = report.data?.tools.filter(
    (tool) => kind === '' || tool.problems.some((problem) => problem.kind === kind),
  );
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap gap-3">
        <SelectField
          label="Period"
          value={String(days)}
          onChange={(value) => setDays(Number(value))}
          options={Object.entries(periods)}
        />
        <SelectField
          label="Problem"
          value={kind}
          onChange={setKind}
          options={[['', 'All'], ...Object.entries(problems)]}
        />
      </div>
      <QueryState query={report} what="the report" />
      {report.data && <Totals report={report.data} />}
      {shown?.length === 0 && <p className="text-ink-soft">No tool has a problem of this kind.</p>}
      {shown && shown.length > 0 && (
        <LongList label="Tools with problems" items={shown} keyOf={({ name }) => name}>
          {(tool) => <ReportRow tool={tool} />}
        </LongList>
      )}
    </div>
  );
}

function Totals({ report: { tokens, unusedTokens, searches } }: { readonly report: ToolReport }) {
  const { counted, found, foundWithProposals } = searches;
  return (
    <Card aria-label="Totals">
      <Facts
        facts={[
          ['All definitions', `about ${formatNumber(tokens)} tokens`],
          ['Never called', `about ${formatNumber(unusedTokens)} tokens`],
          counted > 0 && [
            'Recorded searches',
            `${formatNumber(found)} of ${formatNumber(counted)} find the tool that was called next among five results; with the proposals ${formatNumber(foundWithProposals)}`,
          ],
        ]}
      />
    </Card>
  );
}

function ReportRow({ tool }: { readonly tool: ReportedTool }) {
  const { name, server, originalName, tokens, calls, proposal } = tool;
  const applying = useAction({
    run: (description: string) => api.overrideTool({ path: { tool: name }, body: { description } }),
    done: () => `The description of '${safeText(originalName, 100)}' is changed.`,
    refetch: ['tools', 'tool-report'],
  });
  return (
    <div className="flex flex-col gap-1 py-3">
      <p className="flex flex-wrap items-center gap-2">
        <TextLink href={toolAddress(name)}>
          {safeText(server === undefined ? originalName : `${server}/${originalName}`, 200)}
        </TextLink>
        <span className="text-ink-soft tabular-nums">
          {`about ${formatNumber(tokens)} tokens, ${plural(calls, 'call')}`}
        </span>
      </p>
      <ul className="flex flex-col gap-1">
        {tool.problems.map(({ kind, text }) => (
          <li key={`${kind} ${text}`} className="flex flex-wrap items-baseline gap-2">
            <Badge tone={kind === 'unused' ? undefined : 'warn'}>{problems[kind]}</Badge>
            <span className="min-w-0 break-words text-ink-soft">{safeText(text, 1_000)}</span>
          </li>
        ))}
      </ul>
      {proposal && (
        <div className="flex flex-wrap items-center gap-2">
          <p className="min-w-0 flex-1 break-words">
            <span className="text-ink-soft">Proposed: </span>
            {safeText(proposal.description, 2_000)}
          </p>
          <Button
            size="small"
            icon={Check}
            busy={applying.isPending}
            onClick={() => applying.mutate(proposal.description)}
          >
            Use this description
          </Button>
        </div>
      )}
    </div>
  );
}
