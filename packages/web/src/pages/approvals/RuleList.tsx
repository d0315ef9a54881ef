import { useQuery } from '@tanstack/react-query';
import { BookCheck } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useSearch } from 'wouter';
import { api, type RememberedRule } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { Badge } from '../../components/Badge.tsx';
import { Button, ButtonLink } from '../../components/Button.tsx';
import { Card } from '../../components/Card.tsx';
import { RemovalDialog } from '../../components/ConfirmDialog.tsx';
import { classNames } from '../../components/class-names.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { QueryState } from '../../components/QueryState.tsx';
import { safeText } from '../../components/safe-text.ts';
import { TextLink } from '../../components/TextLink.tsx';
import { TimeAgo } from '../../components/times.tsx';

/** The rules, each with a button to revoke it. */
export function RuleList() {
  const linked = new URLSearchParams(useSearch()).get('rule');
  const rules = useQuery(queries.rules());
  const [selected, setSelected] = useState<RememberedRule>();
  if (!rules.data) return <QueryState query={rules} what="rules" />;
  if (rules.data.length === 0) {
    return (
      <EmptyState
        icon={BookCheck}
        title="No rules yet"
        actions={<ButtonLink href="/approvals">Show pending approvals</ButtonLink>}
      >
        To create a rule, answer an approval with “Always allow”. Rules apply until you revoke them.
      </EmptyState>
    );
  }
  const newestFirst = rules.data.toSorted((a, b) => b.createdAt.localeCompare(a.createdAt));
  return (
    <>
      <Card>
        <ul aria-label="Rules" className="divide-y divide-line">
          {newestFirst.map((rule) => (
            <RuleRow key={rule.id} rule={rule} isLinked={rule.id === linked} onRevoke={() => setSelected(rule)} />
          ))}
        </ul>
      </Card>
      <RemovalDialog
        item={selected}
        title={() => 'Revoke this rule?'}
        action="Revoke"
        remove={({ id }) => api.revokeRule({ path: { rule: id } })}
        done="Rule revoked."
        queryKey="rules"
        onClose={() => setSelected(undefined)}
      >
        {(rule) => (
          <p className="break-words">{`${describeRule(rule)} Once revoked, the approval mode decides about later calls.`}</p>
        )}
      </RemovalDialog>
    </>
  );
}

interface RuleRowProps {
  readonly rule: RememberedRule;
  /** A call links to this rule. */
  readonly isLinked: boolean;
  readonly onRevoke: () => void;
}

function RuleRow({ rule, isLinked, onRevoke }: RuleRowProps) {
  const { answer, audience, conversation, serverAddress, definitionHash, matching, createdBy } = rule;
  return (
    <li
      ref={(row) => {
        if (isLinked) row?.scrollIntoView({ block: 'center' });
      }}
      aria-current={isLinked ? 'true' : undefined}
      className={classNames(
        'flex flex-wrap items-start justify-between gap-x-4 gap-y-2 px-4 py-3',
        isLinked && 'bg-accent-soft',
      )}
    >
      <div className="min-w-0 flex-1 basis-64">
        <p className="flex flex-wrap items-center gap-2">
          <Badge tone={answer === 'allow' ? 'good' : 'bad'}>{answer === 'allow' ? 'Allow' : 'Deny'}</Badge>
          <Badge tone={audience === 'everyone' ? 'warn' : 'neutral'}>{audiences[audience]}</Badge>
          <span className="min-w-0 break-words">{describeRule(rule)}</span>
        </p>
        <dl className="mt-1 flex flex-wrap gap-x-4 gap-y-0.5 text-xs text-ink-faint">
          {serverAddress !== undefined && (
            <Fact name="Address">
              <code className="break-all" title={safeText(serverAddress, 300)}>
                {shortenAddress(serverAddress)}
              </code>
            </Fact>
          )}
          {definitionHash !== undefined && answer === 'allow' && (
            <Fact name="Definition">
              <code title={definitionHash}>{safeText(definitionHash, 200).slice(0, 12)}</code>
            </Fact>
          )}
          {conversation !== undefined && (
            <Fact name="Conversation">
              <TextLink href={`/chat/${encodeURIComponent(conversation)}`}>Open conversation</TextLink>
            </Fact>
          )}
          {Object.entries(matching ?? {}).map(([name, pattern]) => (
            <Fact key={name} name={`Argument ${safeText(name, 60)}`}>
              matches <code className="break-all">{safeText(pattern, 200)}</code>
            </Fact>
          ))}
          {createdBy !== undefined && <Fact name="Created by">{safeText(createdBy, 120)}</Fact>}
          <Fact name="Since">
            <TimeAgo at={rule.createdAt} />
          </Fact>
        </dl>
      </div>
      <Button size="small" look="danger" aria-label={`Revoke: ${describeRule(rule)}`} onClick={onRevoke}>
        Revoke
      </Button>
    </li>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="flex min-w-0 gap-1">
      <dt className="shrink-0">{name}:</dt>
      <dd className="min-w-0 text-ink-soft">{children}</dd>
    </div>
  );
}

/** Shortens the hash in the address of a local server. */
function shortenAddress(address: string): string {
  return safeText(address.replace(/^(stdio:[0-9a-f]{12})[0-9a-f]+$/, '$1…'), 300);
}

function describeRule({ scope, answer, server, tool, audience, caller, callerName }: RememberedRule): string {
  const who = {
    conversation: 'in one conversation',
    caller: `for ${safeText(callerName ?? caller, 100)}`,
    everyone: 'for everyone',
  }[audience];
  const name = scope === 'server' ? 'All tools' : safeText(tool, 120);
  const tools = server === undefined ? `${name} (local)` : `${name} on ${safeText(server, 100)}`;
  if (scope === 'server')
    return answer === 'allow' ? `${tools} run without approval ${who}.` : `${tools} are denied ${who}.`;
  if (answer === 'deny') return `${tools} is denied ${who}, even if its definition changes.`;
  return `${tools} runs without approval ${who} while its definition is unchanged.`;
}

const audiences = {
  conversation: 'One conversation',
  caller: 'One caller',
  everyone: 'Everyone',
} as const;
