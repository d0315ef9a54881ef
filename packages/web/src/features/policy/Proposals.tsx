import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { api } from '../../api/client.ts';
import { Button } from '../../components/Button.tsx';
import { Card, CardHeader } from '../../components/Card.tsx';
import { CodeBlock } from '../../components/CodeBlock.tsx';
import { safeText } from '../../components/safe-text.ts';
import { formatNumber } from '../../text/formats.ts';
import { policyQueries } from './queries.ts';

type Proposal = Awaited<ReturnType<typeof api.proposeRules>>['proposals'][number];

/** Rules and settings for what people always answered. Nothing is shown while there are none. */
export function Proposals() {
  const { data } = useQuery(policyQueries.proposals());
  if (!data || data.proposals.length === 0) return null;
  return (
    <Card aria-label="Proposals">
      <CardHeader
        title="Proposals"
        hint={`What people always answered in ${data.days} days. Copy a proposal into the configuration file.`}
      />
      <ul className="divide-y divide-line">
        {data.proposals.map((proposal) => (
          <ProposalRow key={proposal.yaml} proposal={proposal} />
        ))}
      </ul>
    </Card>
  );
}

function ProposalRow({ proposal }: { readonly proposal: Proposal }) {
  const [isShown, setIsShown] = useState(false);
  const { tool, answers, people, argument, folder, rule, yaml } = proposal;
  const calls = `${formatNumber(answers)} of ${formatNumber(answers)} calls of ${safeText(tool, 200)}`;
  const where = folder === undefined ? '' : ` with ${safeText(argument ?? '', 60)} under ${safeText(folder, 100)}`;
  const what = rule ? 'rule' : 'setting';
  return (
    <li className="flex flex-col gap-2 px-4 py-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p>{`People ${people === 'allow' ? 'allowed' : 'denied'} ${calls}${where}.`}</p>
        <Button size="small" onClick={() => setIsShown(!isShown)} aria-expanded={isShown}>
          {isShown ? `Hide ${what}` : `Show ${what}`}
        </Button>
      </div>
      {isShown && <CodeBlock code={yaml} language="yaml" what={what} />}
    </li>
  );
}
