import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { Button } from '../../components/Button.tsx';
import { Card, CardHeader } from '../../components/Card.tsx';
import { CodeBlock } from '../../components/CodeBlock.tsx';
import { safeText } from '../../components/safe-text.ts';
import { TextLink } from '../../components/TextLink.tsx';
import { useAction } from '../../components/use-action.ts';
import { formatNumber } from '../../text/formats.ts';
import { policyQueries } from './queries.ts';
import { addressOf } from './rule-draft.ts';

type Proposal = Awaited<ReturnType<typeof api.proposeRules>>['proposals'][number];

export interface ProposalsProps {
  /** The ids of the rules that there are. */
  readonly rules: readonly string[];
}

/** Rules and settings for what people always answered. Nothing is shown while there are none. */
export function Proposals({ rules }: ProposalsProps) {
  const { data } = useQuery(policyQueries.proposals());
  if (!data || data.proposals.length === 0) return null;
  return (
    <Card aria-label="Proposals">
      <CardHeader
        title="Proposals"
        hint={`What people always answered in ${data.days} days. A rule begins in shadow mode: it only records.`}
      />
      <ul className="divide-y divide-line">
        {data.proposals.map((proposal) => (
          <ProposalRow
            key={proposal.yaml}
            proposal={proposal}
            isAdded={proposal.rule !== undefined && rules.includes(proposal.rule.id)}
          />
        ))}
      </ul>
    </Card>
  );
}

interface ProposalRowProps {
  readonly proposal: Proposal;
  readonly isAdded: boolean;
}

function ProposalRow({ proposal, isAdded }: ProposalRowProps) {
  const [isShown, setIsShown] = useState(false);
  const { tool, answers, people, argument, folder, rule, yaml } = proposal;
  const calls = `${formatNumber(answers)} of ${formatNumber(answers)} calls of ${safeText(tool, 200)}`;
  const where = folder === undefined ? '' : ` with ${safeText(argument ?? '', 60)} under ${safeText(folder, 100)}`;
  const what = rule ? 'rule' : 'setting';
  const adding = useAction({
    run: (added: NonNullable<Proposal['rule']>) => api.createPolicyRule({ body: added }),
    done: 'The rule was added in shadow mode',
    refetch: ['rules'],
  });
  return (
    <li className="flex flex-col gap-2 px-4 py-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p>{`People ${people === 'allow' ? 'allowed' : 'denied'} ${calls}${where}.`}</p>
        <span className="flex flex-wrap items-center gap-2">
          {rule &&
            (isAdded ? (
              <TextLink href={addressOf(rule.id)}>Added</TextLink>
            ) : (
              <Button size="small" look="primary" busy={adding.isPending} onClick={() => adding.mutate(rule)}>
                Add in shadow mode
              </Button>
            ))}
          <Button size="small" onClick={() => setIsShown(!isShown)} aria-expanded={isShown}>
            {isShown ? `Hide ${what}` : `Show ${what}`}
          </Button>
        </span>
      </div>
      {isShown && <CodeBlock code={yaml} language="yaml" what={what} />}
    </li>
  );
}
