import { useId } from 'react';
import { TextArea } from '../fields.tsx';

export interface JsonEditorProps {
  readonly text: string;
  readonly onChange: (text: string) => void;
  /** What is wrong with the text, and where. */
  readonly problem: string | undefined;
  readonly disabled: boolean;
}

/** The value as JSON text, to write by hand. */
export function JsonEditor({ text, onChange, problem, disabled }: JsonEditorProps) {
  const id = useId();
  return (
    <div className="flex flex-col gap-1">
      <TextArea
        aria-label="Arguments as JSON"
        aria-invalid={problem === undefined ? undefined : true}
        aria-describedby={problem === undefined ? undefined : id}
        value={text}
        disabled={disabled}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => onChange(event.target.value)}
        className="field-sizing-content max-h-[60vh] min-h-40 font-mono text-xs"
      />
      {problem !== undefined && (
        <p id={id} role="alert" className="text-xs text-bad">
          {problem}
        </p>
      )}
    </div>
  );
}
