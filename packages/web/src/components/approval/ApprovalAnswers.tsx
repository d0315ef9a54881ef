import { useQuery } from '@tanstack/react-query';
import { Check, ChevronDown, MessageSquareX, Pencil, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { answerKeys } from '../../../../contract/approvals.ts';
import type { Approval, ApprovalAnswer } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { Button } from '../Button.tsx';
import { classNames } from '../class-names.ts';
import { Checkbox, Form, SelectField, TextAreaField } from '../fields.tsx';
import { Menu, type MenuItem } from '../Menu.tsx';
import { SchemaForm } from '../SchemaForm.tsx';
import { Spinner } from '../Spinner.tsx';
import { safeText } from '../safe-text.ts';
import { type Audience, labelAudience } from './labels.ts';

export interface ApprovalAnswersProps {
  readonly approval: Approval;
  /** The answer that is being sent. */
  readonly sent: ApprovalAnswer | undefined;
  readonly disabled: boolean;
  /** False for a moment after the approval appears. The buttons do not react, and look as they will. */
  readonly ready: boolean;
  /** The keys for the answers work only while the focus is in the panel. */
  readonly keysNeedFocus: boolean;
  readonly onAnswer: (answer: ApprovalAnswer) => void;
  readonly onDenyWithReason: () => void;
  readonly onEdit: () => void;
}

/** The answers to an approval: two buttons, and a menu with the others, the narrowest permission first. */
export function ApprovalAnswers(props: ApprovalAnswersProps) {
  const { sent, ready, keysNeedFocus, onAnswer } = props;
  const disabled = props.disabled || !ready;
  const isSent = (answer: ApprovalAnswer['answer']) => sent?.answer === answer && (sent.scope ?? 'once') === 'once';
  const key = (name: keyof typeof answerKeys) => <Key dims={keysNeedFocus}>{answerKeys[name].toUpperCase()}</Key>;
  return (
    <div className={classNames('flex flex-col gap-2.5', !ready && '**:disabled:opacity-100')}>
      <div className="flex flex-wrap items-center gap-2">
        <Button
          look="primary"
          disabled={disabled}
          busy={isSent('allow')}
          aria-keyshortcuts={answerKeys.once}
          className="max-sm:min-h-11 max-sm:flex-1"
          onClick={() => onAnswer({ answer: 'allow', scope: 'once' })}
          icon={Check}
        >
          Allow once
          {key('once')}
        </Button>
        <Button
          look="danger"
          disabled={disabled}
          busy={isSent('deny')}
          aria-keyshortcuts={answerKeys.deny}
          className="max-sm:min-h-11 max-sm:flex-1"
          onClick={() => onAnswer({ answer: 'deny', scope: 'once' })}
          icon={X}
        >
          Deny
          {key('deny')}
        </Button>
        <Menu
          trigger={
            <Button
              disabled={disabled}
              busy={sent !== undefined && (sent.scope ?? 'once') !== 'once'}
              className="max-sm:min-h-11"
              icon={ChevronDown}
            >
              <span>
                More<span className="max-sm:sr-only"> answers</span>
              </span>
            </Button>
          }
          items={moreAnswers(props)}
        />
      </div>
    </div>
  );
}

/** The answers that are chosen less often: those with arguments or a reason, and those that are remembered. */
function moreAnswers({ approval, onAnswer, onDenyWithReason, onEdit }: ApprovalAnswersProps): readonly MenuItem[] {
  const items: MenuItem[] = [];
  if (mayEdit(approval))
    items.push({ label: 'Edit arguments …', icon: Pencil, shortcut: answerKeys.edit, onSelect: onEdit });
  items.push({ label: 'Deny with a reason …', icon: MessageSquareX, onSelect: onDenyWithReason });
  if (mayAllowFlow(approval)) {
    const place = approval.caller.conversation === undefined ? 'this caller' : 'the conversation';
    items.push({
      heading: 'The same data to the same tool',
      label: `Allow this data flow for ${place}`,
      shortcut: answerKeys.flow,
      onSelect: () => onAnswer({ answer: 'allow', scope: 'flow' }),
    });
  }
  if (mayRememberHost(approval))
    items.push({
      label: `Always allow ${safeText(approval.access, 100)} for ${safeText(approval.server, 60)}`,
      onSelect: () => onAnswer({ answer: 'allow', ...hostReach }),
    });
  for (const [of, answers] of Map.groupBy(lastingAnswers(approval), (one) => one.of)) {
    const what = of === 'tool' ? 'this tool' : `all tools of ${safeText(approval.server, 60)}`;
    for (const [at, { audience, reach }] of answers.entries())
      items.push({
        ...(at === 0 && { heading: `Always allow ${what}` }),
        label: `for ${labelAudience(audience, approval.caller)}`,
        name: `Always allow ${what} for ${labelAudience(audience, approval.caller)}`,
        ...(audience !== 'everyone' && { shortcut: answerKeys[reach.scope] }),
        onSelect: () => onAnswer({ answer: 'allow', ...reach }),
      });
  }
  return items;
}

/** Whether the answer is about the call, which has not started, and not about a host that it wants to reach. */
export function mayEdit({ access }: Approval): boolean {
  return access === undefined;
}

/** Whether an answer can change the sandbox profile of the server. */
function mayRememberHost({ access, audiences }: Approval): boolean {
  return access !== undefined && audiences.includes('everyone');
}

/** The scope of an answer about a host that is remembered. */
const hostReach = { scope: 'server', audience: 'everyone' } as const;

/** Whether an answer can allow the data flows of the approval for the rest of the conversation. */
export function mayAllowFlow({ flows, audiences }: Approval): boolean {
  return flows !== undefined && audiences.length > 0;
}

interface LastingAnswer {
  /** The tools that it allows. */
  readonly of: 'tool' | 'server';
  readonly audience: Audience;
  readonly reach: LastingReach;
}

/** The answers that allow later calls too, the narrowest first. */
export function lastingAnswers({ audiences, server, access }: Approval): readonly LastingAnswer[] {
  if (access !== undefined) return [];
  const answers = (of: LastingAnswer['of'], offered: readonly Audience[]) =>
    offered.map((audience) => ({ of, audience, reach: lastingScope(of, audience) }));
  const others = audiences.filter((audience) => audience !== 'conversation');
  return [...answers('tool', audiences), ...(server === undefined ? [] : answers('server', others))];
}

interface LastingReach {
  readonly scope: 'conversation' | 'tool' | 'server';
  readonly audience?: ApprovalAnswer['audience'];
}

/** The scope of an answer that becomes a rule for later calls. */
function lastingScope(scope: 'tool' | 'server', audience: Audience): LastingReach {
  return audience === 'conversation' ? { scope: 'conversation' } : { scope, audience };
}

interface KeyProps {
  /** Dims the key while the focus is outside the panel. */
  readonly dims: boolean;
  readonly children: string;
}

function Key({ dims, children }: KeyProps) {
  return (
    <kbd
      aria-hidden
      // Not as text: the label of a button must contain its text.
      data-key={children}
      className={classNames(
        'ml-0.5 before:content-[attr(data-key)] hidden rounded border border-current/40 px-1 font-mono text-[0.65rem] leading-4 sm:inline',
        dims && 'opacity-60 group-focus-within/approval:opacity-100',
      )}
    />
  );
}

interface AnswerFormProps {
  readonly approval: Approval;
  readonly busy: boolean;
  readonly onAnswer: (answer: ApprovalAnswer) => void;
  readonly onBack: () => void;
}

/** Allows the call once with edited arguments; the gateway validates them again. */
export function EditArguments({ approval, busy, onAnswer, onBack }: AnswerFormProps) {
  const tool = useQuery({ ...queries.tool(approval.tool), retry: false });
  const [value, setValue] = useState(approval.arguments);
  const [problem, setProblem] = useState<string>();
  if (tool.isPending) return <Spinner label="Loading the tool's schema …" />;
  return (
    <Form
      aria-label="Edit the arguments"
      className="flex min-w-0 flex-col gap-3"
      onSubmit={() => {
        if (problem === undefined) onAnswer({ answer: 'allow', scope: 'once', arguments: value });
      }}
    >
      <SchemaForm
        schema={tool.data?.parameters ?? { type: 'object' }}
        value={value}
        onChange={setValue}
        onProblem={setProblem}
        disabled={busy}
      />
      <p className="text-xs text-ink-faint">Arguments are validated before the call runs.</p>
      <FormButtons
        look="primary"
        label="Allow with these arguments"
        busy={busy}
        disabled={problem !== undefined}
        onBack={onBack}
      />
    </Form>
  );
}

/** Denies the call with a reason, once or from now on. */
export function DenyForm({ approval, busy, onAnswer, onBack }: AnswerFormProps) {
  const [reason, setReason] = useState('');
  const [audience, setAudience] = useState<Audience | ''>('');
  const box = useRef<HTMLTextAreaElement>(null);
  useEffect(() => box.current?.focus(), []);
  return (
    <Form
      aria-label="Deny with a reason"
      className="flex flex-col gap-3"
      onSubmit={() =>
        onAnswer({
          answer: 'deny',
          ...(audience === ''
            ? { scope: 'once' }
            : mayRememberHost(approval)
              ? hostReach
              : lastingScope('tool', audience)),
          reason: reason.trim() || undefined,
        })
      }
    >
      <TextAreaField
        label="Reason"
        hint="Sent to the caller, so that it can try something else. Optional."
        ref={box}
        maxLength={2_000}
        value={reason}
        onChange={setReason}
      />
      {mayRememberHost(approval) && (
        <Checkbox
          label={`Never let ${safeText(approval.server, 60)} reach ${safeText(approval.access, 100)}`}
          checked={audience !== ''}
          onChange={(isForEver) => setAudience(isForEver ? 'everyone' : '')}
        />
      )}
      {mayEdit(approval) && approval.audiences.length > 0 && (
        <SelectField
          label={`Deny later calls of ${safeText(approval.originalName, 80)} too`}
          hint="A rule denies them, even after the definition changes, until you revoke it."
          options={[
            ['', 'No'],
            ...approval.audiences.map((one) => [one, `Always, for ${labelAudience(one, approval.caller)}`] as const),
          ]}
          value={audience}
          onChange={setAudience}
        />
      )}
      <FormButtons look="danger" label={audience === '' ? 'Deny' : 'Deny always'} busy={busy} onBack={onBack} />
    </Form>
  );
}

interface FormButtonsProps {
  readonly look: 'primary' | 'danger';
  readonly label: string;
  readonly busy: boolean;
  readonly disabled?: boolean;
  readonly onBack: () => void;
}

function FormButtons({ look, label, busy, disabled = false, onBack }: FormButtonsProps) {
  return (
    <div className="flex flex-wrap gap-2">
      <Button type="submit" look={look} busy={busy} disabled={disabled}>
        {label}
      </Button>
      <Button disabled={busy} onClick={onBack}>
        Back
      </Button>
    </div>
  );
}
