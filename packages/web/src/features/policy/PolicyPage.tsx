import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { api } from '../../api/client.ts';
import { useMay } from '../../api/queries.ts';
import { Badge, type Tone } from '../../components/Badge.tsx';
import { Button, ButtonLink, GatewayButtonLink } from '../../components/Button.tsx';
import { Card, CardHeader } from '../../components/Card.tsx';
import { RemovalDialog } from '../../components/ConfirmDialog.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { Notice } from '../../components/ErrorNotice.tsx';
import { Facts } from '../../components/FactList.tsx';
import { MissingPermission } from '../../components/NeedsPermission.tsx';
import { Page } from '../../components/Page.tsx';
import { QueryState } from '../../components/QueryState.tsx';
import { safeText } from '../../components/safe-text.ts';
import { TimeAgo } from '../../components/times.tsx';
import { useSlot } from '../../shell/feature.ts';
import { ensureValidLocale } from '../../text/ensure-valid-locale.ts';
import { plural } from '../../text/plural.ts';
import { Proposals } from './Proposals.tsx';
import { policyQueries } from './queries.ts';
import { addressOf } from './rule-draft.ts';
import { TryCondition } from './TryCondition.tsx';

const DecisionPlots = lazy(() => {
  ensureValidLocale();
  return import('./DecisionPlots.tsx');
});

type PolicyState = Awaited<ReturnType<typeof api.getPolicy>>;
type Rule = PolicyState['rules'][number];

const effects = { deny: 'Deny', ask: 'Ask', hide: 'Hide', label: 'Label', redact: 'Redact' };
const tones: Readonly<Record<Rule['then'], Tone>> = {
  deny: 'bad',
  ask: 'warn',
  hide: 'neutral',
  label: 'info',
  redact: 'info',
};
const failures = { deny: 'Deny the call', ask: 'Ask', allow: 'Ignore the rule' };

/** The rules of the policy, how often each decided, and a form that tries a condition. */
export default function PolicyPage() {
  const mayRead = useMay('policy.read');
  const mayWrite = useMay('policy.write');
  const add = mayWrite && (
    <ButtonLink href="/rules/new" look="primary" icon={Plus}>
      New rule
    </ButtonLink>
  );
  const policy = useQuery({ ...policyQueries.policy(), enabled: mayRead });
  const [condition, setCondition] = useState('');
  const Budgets = useSlot('budgets');
  if (!mayRead)
    return (
      <Page title="Policy">
        <MissingPermission permission="policy.read" />
      </Page>
    );
  return (
    <Page
      title="Policy"
      description="Conditions over calls: what they say, who makes them, and when. Rules are in the configuration file, or stored here."
      actions={policy.data && policy.data.rules.length > 0 && add}
    >
      <QueryState query={policy} what="rules" />
      {policy.data?.rules.length === 0 && (
        <EmptyState
          title="No rules"
          actions={
            <>
              {add}
              <GatewayButtonLink href="/docs/guide/policy.html">Read how to write one</GatewayButtonLink>
            </>
          }
        >
          Rules are conditions over calls. They deny, ask, hide, label or redact.
        </EmptyState>
      )}
      {policy.data?.rules.map((rule) => (
        <RuleCard key={rule.id} rule={rule} calls={policy.data.calls} onTry={() => setCondition(rule.when)} />
      ))}
      {policy.data && policy.data.rules.length > 0 && (
        <Suspense>
          <DecisionPlots />
        </Suspense>
      )}
      {policy.data && <Proposals rules={policy.data.rules.map(({ id }) => id)} />}
      {Budgets && (
        <Suspense>
          <Budgets />
        </Suspense>
      )}
      {policy.data && <TryCondition condition={condition} onChange={setCondition} variables={policy.data.variables} />}
    </Page>
  );
}

interface RuleCardProps {
  readonly rule: Rule;
  /** The number of calls that are counted. */
  readonly calls: number;
  readonly onTry: () => void;
}

function RuleCard({ rule, calls, onTry }: RuleCardProps) {
  const { id, when, then, mode, onFailure, reason, profiles, decided, failed, source, problem, updatedAt } = rule;
  const { add, classes } = rule;
  const [isRemoving, setRemoving] = useState(false);
  const name = safeText(id, 100);
  const isShadow = mode === 'shadow';
  const latest = plural(calls, { one: 'latest call', other: '# latest calls' });
  return (
    <Card aria-label={name}>
      <CardHeader
        title={
          <span className="flex flex-wrap items-center gap-2">
            <span className="break-words">{name}</span>
            <Badge tone={tones[then]}>{effects[then]}</Badge>
            {isShadow && <Badge tone="info">Shadow</Badge>}
            <Badge>{source === 'file' ? 'Configuration file' : 'Stored'}</Badge>
          </span>
        }
        hint={reason === undefined ? undefined : safeText(reason, 500)}
        actions={
          <>
            <ButtonLink size="small" href={addressOf(id)} aria-label={`${source === 'file' ? 'View' : 'Edit'} ${name}`}>
              {source === 'file' ? 'View' : 'Edit'}
            </ButtonLink>
            <Button size="small" look="quiet" onClick={onTry} aria-label={`Try ${name}`}>
              Try
            </Button>
            {source === 'store' && (
              <Button size="small" look="quiet" onClick={() => setRemoving(true)} aria-label={`Delete ${name}`}>
                Delete
              </Button>
            )}
          </>
        }
      />
      <pre className="overflow-x-auto px-4 pt-3 text-xs whitespace-pre-wrap">{safeText(when, 10_000)}</pre>
      {problem !== undefined && (
        <Notice title="This rule cannot be used">{`${safeText(problem, 500)}. Edit it, or delete it.`}</Notice>
      )}
      <Facts
        facts={[
          [isShadow ? 'Would have decided' : 'Decided', `${decided} of the ${latest}`],
          failed > 0 && ['No value', `${failed} of the ${latest}`],
          add !== undefined && ['Label', safeText(add, 100)],
          classes !== undefined && ['Classes', classes.join(', ')],
          ['Without a value', failures[onFailure]],
          profiles !== undefined && ['Profiles', safeText(profiles.join(', '), 500)],
          updatedAt !== undefined && ['Last change', <TimeAgo key="updated" at={updatedAt} />],
        ]}
      />
      <RemovalDialog
        item={isRemoving ? rule : undefined}
        title={() => `Delete '${name}'?`}
        action="Delete"
        remove={() => api.removePolicyRule({ path: { rule: id } })}
        done="The rule was deleted"
        queryKey="rules"
        onClose={() => setRemoving(false)}
      >
        {() => 'It stops deciding at once. Calls that it decided keep its name in their records.'}
      </RemovalDialog>
    </Card>
  );
}
