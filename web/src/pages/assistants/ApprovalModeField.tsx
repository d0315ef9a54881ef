import { RadioGroup } from 'radix-ui';
import { useId } from 'react';
import type { Assistant } from '../../api/client.ts';

type Mode = Assistant['toolApproval'];

/** The label and meaning of each approval mode. */
export const approvalModes: Readonly<Record<Mode, { readonly label: string; readonly meaning: string }>> = {
  'always-ask': {
    label: 'Always ask',
    meaning: 'Every call needs your approval. You see the tool and its arguments first.',
  },
  'trusted-only': {
    label: 'Trusted only',
    meaning: 'The tools listed below run without approval. Every other call needs it.',
  },
  auto: {
    label: 'Auto',
    meaning: 'Every call runs without approval. Use it for harmless tools only.',
  },
};

export interface ApprovalModeFieldProps {
  readonly mode: Mode;
  readonly onChange: (mode: Mode) => void;
}

/** Selects the approval mode. */
export function ApprovalModeField({ mode, onChange }: ApprovalModeFieldProps) {
  const id = useId();
  return (
    <RadioGroup.Root
      aria-label="Approval mode"
      value={mode}
      onValueChange={(value) => onChange(value as Mode)}
      className="grid gap-2 sm:grid-cols-3"
    >
      {(Object.keys(approvalModes) as Mode[]).map((value) => (
        <label
          key={value}
          htmlFor={`${id}-${value}`}
          className="flex cursor-pointer items-start gap-2.5 rounded-md border border-line p-3 hover:bg-sunken has-data-[state=checked]:border-accent has-data-[state=checked]:bg-accent-soft has-disabled:cursor-not-allowed"
        >
          <RadioGroup.Item
            id={`${id}-${value}`}
            value={value}
            aria-labelledby={`${id}-${value}-label`}
            aria-describedby={`${id}-${value}-meaning`}
            className="mt-0.5 grid size-4 shrink-0 place-items-center rounded-full border border-line-strong bg-surface data-[state=checked]:border-accent"
          >
            <RadioGroup.Indicator className="size-2 rounded-full bg-accent" />
          </RadioGroup.Item>
          <span className="min-w-0">
            <span id={`${id}-${value}-label`} className="font-medium">
              {approvalModes[value].label}
            </span>
            <span id={`${id}-${value}-meaning`} className="block text-xs text-ink-soft">
              {approvalModes[value].meaning}
            </span>
          </span>
        </label>
      ))}
    </RadioGroup.Root>
  );
}
