import { useQuery } from '@tanstack/react-query';
import { Check, MessageSquareX, Pencil, X } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { Approval, ApprovalAnswer } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { Button } from '../Button.tsx';
import { classNames } from '../class-names.ts';
import { Checkbox, Field, Form, TextArea } from '../fields.tsx';
import { SchemaForm } from '../SchemaForm.tsx';
import { Spinner } from '../Spinner.tsx';
import { safeText } from '../safe-text.ts';

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

const lastingScopes = [
  { scope: 'conversation', label: 'This conversation', title: 'Allow this tool for the rest of this conversation' },
  { scope: 'tool', label: 'Always this tool', title: 'Allow this tool from now on, until its definition changes' },
  { scope: 'server', label: 'Always this server', title: 'Allow every tool of this server from now on' },
] as const;

/** The answers to an approval, the narrowest permission first. */
export function ApprovalAnswers(props: ApprovalAnswersProps) {
  const { approval, sent, ready, shortcuts, onAnswer } = props;
  const disabled = props.disabled || !ready;
  const scopes = lastingScopes.filter(({ scope }) => {
    if (scope === 'conversation') return approval.caller.conversation !== undefined;
    return scope === 'tool' || approval.server !== undefined;
  });
  const isSent = (answer: ApprovalAnswer['answer'], scope: ApprovalAnswer['scope'] = 'once') =>
    sent?.answer === answer && (sent.scope ?? 'once') === scope;
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
          Allow once
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
          Deny
          {shortcuts && <Key>D</Key>}
        </Button>
        <Button disabled={disabled} onClick={props.onDenyWithReason}>
          <MessageSquareX aria-hidden />
          Deny with a reason …
        </Button>
        <Button disabled={disabled} aria-keyshortcuts={shortcuts ? 'e' : undefined} onClick={props.onEdit}>
          <Pencil aria-hidden />
          Edit arguments …{shortcuts && <Key>E</Key>}
        </Button>
      </div>
      <fieldset className="flex flex-wrap items-center gap-2">
        <legend className="float-left mr-1 text-xs leading-7 text-ink-faint">Allow and don't ask again:</legend>
        {scopes.map(({ scope, label, title }) => (
          <Button
            key={scope}
            size="small"
            title={title}
            disabled={disabled}
            busy={isSent('allow', scope)}
            onClick={() => onAnswer({ answer: 'allow', scope })}
          >
            {label}
          </Button>
        ))}
      </fieldset>
    </div>
  );
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

interface EditArgumentsProps {
  readonly approval: Approval;
  readonly busy: boolean;
  readonly onAnswer: (answer: ApprovalAnswer) => void;
  readonly onBack: () => void;
}

/** Allows the call once with edited arguments; the gateway validates them again. */
export function EditArguments({ approval, busy, onAnswer, onBack }: EditArgumentsProps) {
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
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="primary" busy={busy} disabled={problem !== undefined}>
          Allow with these arguments
        </Button>
        <Button disabled={busy} onClick={onBack}>
          Back
        </Button>
      </div>
    </Form>
  );
}

interface DenyFormProps {
  readonly approval: Approval;
  readonly busy: boolean;
  readonly onAnswer: (answer: ApprovalAnswer) => void;
  readonly onBack: () => void;
}

/** Denies the call with a reason, once or from now on. */
export function DenyForm({ approval, busy, onAnswer, onBack }: DenyFormProps) {
  const [reason, setReason] = useState('');
  const [always, setAlways] = useState(false);
  const box = useRef<HTMLTextAreaElement>(null);
  useEffect(() => box.current?.focus(), []);
  return (
    <Form
      aria-label="Deny with a reason"
      className="flex flex-col gap-3"
      onSubmit={() => onAnswer({ answer: 'deny', scope: always ? 'tool' : 'once', reason: reason.trim() || undefined })}
    >
      <Field label="Reason" hint="Sent to the caller, so that it can try something else. Optional.">
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
      <Checkbox
        label={`Always deny ${safeText(approval.originalName, 80)}`}
        hint="Applies to all callers, even after its definition changes, until you revoke the rule."
        checked={always}
        onChange={setAlways}
      />
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="danger" busy={busy}>
          {always ? 'Deny always' : 'Deny'}
        </Button>
        <Button disabled={busy} onClick={onBack}>
          Back
        </Button>
      </div>
    </Form>
  );
}
