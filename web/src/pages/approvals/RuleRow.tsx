import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { RememberedRule } from '../../api/client.ts';
import { Badge } from '../../components/Badge.tsx';
import { Button } from '../../components/Button.tsx';
import { safeText } from '../../components/safe-text.ts';
import { TimeAgo } from '../../components/times.tsx';

export interface RuleRowProps {
  readonly rule: RememberedRule;
  readonly onRevoke: () => void;
}

/** One remembered answer: what it allows or denies, for whom, and what it is bound to. */
export function RuleRow({ rule, onRevoke }: RuleRowProps) {
  const { answer, conversation, serverAddress, definitionHash } = rule;
  return (
    <li className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2 px-4 py-3">
      <div className="min-w-0 flex-1 basis-64">
        <p className="flex flex-wrap items-center gap-2">
          <Badge tone={answer === 'allow' ? 'good' : 'bad'}>{answer === 'allow' ? 'Allow' : 'Deny'}</Badge>
          <span className="min-w-0 break-words">{ruleSentence(rule)}</span>
        </p>
        <dl className="mt-1 flex flex-wrap gap-x-4 gap-y-0.5 text-xs text-ink-faint">
          {serverAddress !== undefined && (
            <Fact name="Address">
              <code className="break-all" title={safeText(serverAddress, 300)}>
                {shortAddress(serverAddress)}
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
              <Link
                href={`/chat/${encodeURIComponent(conversation)}`}
                className="text-accent-strong underline underline-offset-2"
              >
                open
              </Link>
            </Fact>
          )}
          <Fact name="Since">
            <TimeAgo at={rule.createdAt} />
          </Fact>
        </dl>
      </div>
      <Button size="small" look="danger" aria-label={`Revoke: ${ruleSentence(rule)}`} onClick={onRevoke}>
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

/** The address of a program is a hash of its command: its beginning is enough to know it by. */
function shortAddress(address: string): string {
  return safeText(address.replace(/^(stdio:[0-9a-f]{12})[0-9a-f]+$/, '$1…'), 300);
}

/** What a rule says, as a sentence. */
export function ruleSentence({ scope, answer, server, tool }: RememberedRule): string {
  const of = server === undefined ? ' (local)' : ` of ${safeText(server, 100)}`;
  if (scope === 'server') {
    return `Every tool${of} ${answer === 'allow' ? 'runs without asking' : 'is refused'}.`;
  }
  const where = scope === 'conversation' ? ' in one conversation' : '';
  const named = `${safeText(tool, 120)}${of}`;
  if (answer === 'deny') return `${named} is refused${where}, whatever its definition says.`;
  return `${named} runs without asking${where}, as long as its definition stays the same.`;
}
