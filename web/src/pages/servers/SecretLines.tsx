import { Plus, X } from 'lucide-react';
import { useRef } from 'react';
import { Button, IconButton } from '../../components/Button.tsx';
import { Input } from '../../components/fields.tsx';
import { focusOnce } from './form-lines.ts';
import { SecretInput } from './SecretInput.tsx';
import { findDuplicates, type Line, newLine } from './server-draft.ts';

export interface SecretLinesProps {
  readonly title: string;
  /** The singular: "header". */
  readonly noun: string;
  readonly hint: string;
  readonly lines: readonly Line[];
  /** The problem of the line with this name. */
  readonly problemAt: (name: string) => string | undefined;
  readonly onChange: (lines: readonly Line[]) => void;
}

/** A list of names and secret values. */
export function SecretLines({ title, noun, hint, lines, problemAt, onChange }: SecretLinesProps) {
  const added = useRef<number>(undefined);
  const repeated = findDuplicates(lines);
  const change = (id: number, part: Partial<Line>) =>
    onChange(lines.map((line) => (line.id === id ? { ...line, ...part } : line)));

  function add(): void {
    const line = newLine();
    added.current = line.id;
    onChange([...lines, line]);
  }

  return (
    <fieldset className="flex min-w-0 flex-col gap-1.5">
      <legend className="mb-1 font-medium">{title}</legend>
      {lines.map(({ id, name, value, isStored }, at) => {
        const problem = repeated.has(name) ? `Another ${noun} has this name` : problemAt(name);
        const keepsStored = typeof value !== 'string';
        const described =
          problem === undefined ? {} : { 'aria-invalid': true, 'aria-describedby': `line-${id}-problem` };
        return (
          <div key={id} className="flex flex-col gap-1">
            <div className="flex flex-wrap items-start gap-1 sm:flex-nowrap">
              <Input
                aria-label={`Name of ${noun} ${at + 1}`}
                placeholder="Name"
                className="min-w-0 font-mono sm:w-2/5"
                spellCheck={false}
                autoComplete="off"
                value={name}
                readOnly={keepsStored}
                ref={(input) => focusOnce(input, id, added)}
                onChange={(event) => change(id, { name: event.target.value })}
                {...described}
              />
              <div className="min-w-0 flex-1">
                <SecretInput
                  aria-label={`Value of ${noun} ${at + 1}`}
                  placeholder="Value"
                  noun={`value of ${name === '' ? noun : name}`}
                  value={value}
                  isStored={isStored}
                  onChange={(next) => change(id, { value: next })}
                  {...described}
                />
              </div>
              <IconButton
                label={`Remove ${noun} ${name === '' ? at + 1 : name}`}
                onClick={() => onChange(lines.filter((line) => line.id !== id))}
              >
                <X aria-hidden />
              </IconButton>
            </div>
            {problem !== undefined && (
              <p id={`line-${id}-problem`} className="text-xs text-bad">
                {problem}
              </p>
            )}
          </div>
        );
      })}
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Button size="small" onClick={add}>
          <Plus aria-hidden />
          Add {noun}
        </Button>
        <p className="min-w-0 flex-1 text-xs text-ink-faint">{hint}</p>
      </div>
    </fieldset>
  );
}
