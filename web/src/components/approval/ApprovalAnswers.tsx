import { useQuery } from '@tanstack/react-query';
import { Check, MessageSquareX, Pencil, X } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { Approval, ApprovalAnswer } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { text } from '../../text/text.ts';
import { Button } from '../Button.tsx';
import { classNames } from '../class-names.ts';
import { Field, Form, SelectField, TextArea } from '../fields.tsx';
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
  /** Shows the keys for the answers. */
  readonly shortcuts: boolean;
  readonly onAnswer: (answer: ApprovalAnswer) => void;
  readonly onDenyWithReason: () => void;
  readonly onEdit: () => void;
}

/** The answers to an approval, the narrowest permission first. */
export function ApprovalAnswers(props: ApprovalAnswersProps) {
  const { approval, sent, ready, shortcuts, onAnswer } = props;
  const disabled = props.disabled || !ready;
  const isSent = (answer: ApprovalAnswer['answer'], scope: ApprovalAnswer['scope'] = 'once', audience?: Audience) =>
    sent?.answer === answer && (sent.scope ?? 'once') === scope && sent.audience === audience;
  return (
    <div className={classNames('flex flex-col gap-2.5', !ready && '**:disabled:opacity-100')}>
      <div className="flex flex-wrap items-center gap-2">
        <Button
          look="primary"
          disabled={disabled}
          busy={isSent('allow')}
          aria-keyshortcuts={shortcuts ? 'a' : undefined}
          onClick={() => onAnswer({ answer: 'allow', scope: 'once' })}
        >
          <Check aria-hidden />
          {text.approval.approvalAnswers.allowOnce}
          {shortcuts && <Key>A</Key>}
        </Button>
        <Button
          look="danger"
          disabled={disabled}
          busy={isSent('deny')}
          aria-keyshortcuts={shortcuts ? 'd' : undefined}
          onClick={() => onAnswer({ answer: 'deny', scope: 'once' })}
        >
          <X aria-hidden />
          {text.approval.approvalAnswers.deny}
          {shortcuts && <Key>D</Key>}
        </Button>
        <Button disabled={disabled} onClick={props.onDenyWithReason}>
          <MessageSquareX aria-hidden />
          {text.approval.approvalAnswers.denyReason}
        </Button>
        <Button disabled={disabled} aria-keyshortcuts={shortcuts ? 'e' : undefined} onClick={props.onEdit}>
          <Pencil aria-hidden />
          {text.approval.approvalAnswers.editArguments}
          {shortcuts && <Key>E</Key>}
        </Button>
      </div>
      {(['tool', 'server'] as const).map((scope) => {
        const audiences = approval.audiences.filter((audience) => scope === 'tool' || audience !== 'conversation');
        if (audiences.length === 0 || (scope === 'server' && approval.server === undefined)) return null;
        const what =
          scope === 'tool'
            ? text.approval.approvalAnswers.tool
            : text.approval.approvalAnswers.allTools(safeText(approval.server, 60));
        return (
          <fieldset key={scope} className="flex flex-wrap items-center gap-2">
            <legend className="float-left mr-1 text-xs leading-7 text-ink-faint">
              {text.approval.approvalAnswers.alwaysAllowHeading(what)}
            </legend>
            {audiences.map((audience) => {
              const lasting = lastingScope(scope, audience);
              return (
                <Button
                  key={audience}
                  size="small"
                  aria-label={text.approval.approvalAnswers.alwaysAllowFor(
                    what,
                    labelAudience(audience, approval.caller),
                  )}
                  title={scope === 'tool' ? text.approval.approvalAnswers.untilDefinitionToolChanges : undefined}
                  disabled={disabled}
                  busy={isSent('allow', lasting.scope, lasting.audience)}
                  onClick={() => onAnswer({ answer: 'allow', ...lasting })}
                >
                  {labelAudience(audience, approval.caller)}
                </Button>
              );
            })}
          </fieldset>
        );
      })}
    </div>
  );
}

/** The scope of an answer that becomes a rule for later calls. */
function lastingScope(scope: 'tool' | 'server', audience: Audience): Pick<ApprovalAnswer, 'scope' | 'audience'> {
  return audience === 'conversation' ? { scope: 'conversation' } : { scope, audience };
}

function Key({ children }: { readonly children: ReactNode }) {
  return (
    <kbd
      aria-hidden
      className="ml-0.5 hidden rounded border border-current/40 px-1 font-mono text-[0.65rem] leading-4 sm:inline"
    >
      {children}
    </kbd>
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
  if (tool.isPending) return <Spinner label={text.approval.approvalAnswers.loadingToolsSchema} />;
  return (
    <Form
      aria-label={text.approval.approvalAnswers.editLabel}
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
      <p className="text-xs text-ink-faint">{text.approval.approvalAnswers.argumentsValidatedBeforeCall}</p>
      <FormButtons
        look="primary"
        label={text.approval.approvalAnswers.allowTheseArguments}
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
      aria-label={text.approval.approvalAnswers.denyLabel}
      className="flex flex-col gap-3"
      onSubmit={() =>
        onAnswer({
          answer: 'deny',
          ...(audience === '' ? { scope: 'once' } : lastingScope('tool', audience)),
          reason: reason.trim() || undefined,
        })
      }
    >
      <Field label={text.approval.approvalAnswers.reason} hint={text.approval.approvalAnswers.sentCallerSoTry}>
        {(field) => (
          <TextArea
            {...field}
            ref={box}
            maxLength={2_000}
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
        )}
      </Field>
      {approval.audiences.length > 0 && (
        <SelectField
          label={text.approval.approvalAnswers.denyLaterCallsToo(safeText(approval.originalName, 80))}
          hint={text.approval.approvalAnswers.ruleDeniesThemEven}
          options={[
            ['', text.common.no],
            ...approval.audiences.map(
              (one) => [one, text.approval.approvalAnswers.always(labelAudience(one, approval.caller))] as const,
            ),
          ]}
          value={audience}
          onChange={setAudience}
        />
      )}
      <FormButtons
        look="danger"
        label={audience === '' ? text.approval.approvalAnswers.deny : text.approval.approvalAnswers.denyAlways}
        busy={busy}
        onBack={onBack}
      />
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
        {text.common.back}
      </Button>
    </div>
  );
}
