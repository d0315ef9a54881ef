import { useEffect, useRef, useState } from 'react';
import type { Approval, ApprovalAnswer } from '../../api/client.ts';
import { Button } from '../Button.tsx';
import { Checkbox, Field, TextArea } from '../fields.tsx';
import { safeText } from '../safe-text.ts';

export interface DenyFormProps {
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
    <form
      aria-label="Deny with a reason"
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        onAnswer({ answer: 'deny', scope: always ? 'tool' : 'once', reason: reason.trim() || undefined });
      }}
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
    </form>
  );
}
