import { type ReactNode, useState } from 'react';
import { Field, TextArea } from './fields.tsx';

export interface LinesFieldProps {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly error?: string;
  readonly lines: readonly string[];
  readonly onChange: (lines: readonly string[]) => void;
}

/** A list of patterns, one per line. */
export function LinesField({ label, hint, error, lines, onChange }: LinesFieldProps) {
  const [written, setWritten] = useState(() => lines.join('\n'));
  // Empty lines are kept while the person types, and discarded when the list changes elsewhere.
  const value = toLines(written).join('\n') === lines.join('\n') ? written : lines.join('\n');
  return (
    <Field label={label} hint={hint} error={error}>
      {(props) => (
        <TextArea
          {...props}
          className="field-sizing-content max-h-60 min-h-10! font-mono text-xs"
          rows={1}
          spellCheck={false}
          value={value}
          onChange={(event) => {
            setWritten(event.target.value);
            onChange(toLines(event.target.value));
          }}
        />
      )}
    </Field>
  );
}

function toLines(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
