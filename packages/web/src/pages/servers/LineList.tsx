import { Plus, X } from 'lucide-react';
import { type ClipboardEvent, type ReactNode, useRef } from 'react';
import { Button, IconButton } from '../../components/Button.tsx';
import { Input } from '../../components/fields.tsx';
import { SecretInput } from '../../components/SecretInput.tsx';
import { capitalize } from '../../text/capitalize.ts';
import { focusOnce } from './form-lines.ts';
import { findDuplicates, type Line, newLine } from './server-draft.ts';

export interface LineListProps {
  readonly title: string;
  /** The singular: "header". */
  readonly noun: string;
  readonly hint: string;
  readonly lines: readonly Line[];
  /** Whether each line has a name and a secret value. Arguments have only a value, which is secret if it is stored. */
  readonly isNamed: boolean;
  readonly problemAt: (line: Line, at: number) => string | undefined;
  readonly onChange: (lines: readonly Line[]) => void;
}

/** A list of arguments, variables or headers. */
export function LineList({ title, noun, hint, lines, isNamed, problemAt, onChange }: LineListProps) {
  const added = useRef<number>(undefined);
  const repeated = isNamed ? findDuplicates(lines) : new Set<string>();
  const change = (id: number, part: Partial<Line>) =>
    onChange(lines.map((line) => (line.id === id ? { ...line, ...part } : line)));

  /** Pasting several lines adds several arguments. */
  function paste(event: ClipboardEvent<HTMLInputElement>, at: number): void {
    const pasted = event.clipboardData.getData('text').split(/\r?\n/).filter(Boolean);
    if (pasted.length < 2) return;
    event.preventDefault();
    const rest = lines[at]?.value === '' ? lines.slice(at + 1) : lines.slice(at);
    onChange([...lines.slice(0, at), ...pasted.map((text) => newLine('', text)), ...rest]);
  }

  return (
    <fieldset className="flex min-w-0 flex-col gap-1.5">
      <legend className="mb-1 font-medium">{title}</legend>
      {lines.map((line, at) => {
        const { id, name, value, isStored } = line;
        const problem = repeated.has(name) ? `Another ${noun} has this name` : problemAt(line, at);
        const numbered = `${noun} ${at + 1}`;
        const plain = {
          spellCheck: false,
          autoComplete: 'off',
          ref: (input: HTMLInputElement | null) => focusOnce(input, id, added),
          ...(problem !== undefined && { 'aria-invalid': true, 'aria-describedby': `line-${id}-problem` }),
        };
        return (
          <div key={id} className="flex flex-col gap-1">
            <div className="flex flex-wrap items-start gap-1 sm:flex-nowrap">
              {isNamed && (
                <Input
                  {...plain}
                  aria-label={`Name of ${numbered}`}
                  placeholder="Name"
                  className="min-w-0 font-mono sm:w-2/5"
                  value={name}
                  readOnly={typeof value !== 'string'}
                  onChange={(event) => change(id, { name: event.target.value })}
                />
              )}
              <div className="min-w-0 flex-1">
                {isNamed || isStored ? (
                  <SecretInput
                    {...plain}
                    ref={undefined}
                    aria-label={isNamed ? `Value of ${numbered}` : capitalize(numbered)}
                    placeholder="Value"
                    noun={isNamed ? `value of ${name === '' ? noun : name}` : numbered}
                    value={value}
                    isStored={isStored}
                    onChange={(next) => change(id, { value: next })}
                  />
                ) : (
                  <Input
                    {...plain}
                    aria-label={capitalize(numbered)}
                    placeholder="(empty)"
                    className="font-mono"
                    value={typeof value === 'string' ? value : ''}
                    onPaste={(event) => paste(event, at)}
                    onChange={(event) => change(id, { value: event.target.value })}
                  />
                )}
              </div>
              <IconButton
                label={`Remove ${isNamed && name !== '' ? `${noun} ${name}` : numbered}`}
                onClick={() => onChange(lines.filter((other) => other.id !== id))}
                icon={X}
              />
            </div>
            {problem !== undefined && (
              <p id={`line-${id}-problem`} className="text-xs text-bad">
                {problem}
              </p>
            )}
          </div>
        );
      })}
      <AddButton
        noun={noun}
        hint={hint}
        onAdd={() => {
          const line = newLine();
          added.current = line.id;
          onChange([...lines, line]);
        }}
      />
    </fieldset>
  );
}

export interface AddButtonProps {
  readonly noun: string;
  readonly hint: ReactNode;
  readonly onAdd: () => void;
}

/** The button below a list that adds an entry, with a hint beside it. */
export function AddButton({ noun, hint, onAdd }: AddButtonProps) {
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <Button size="small" onClick={onAdd} icon={Plus}>
        {`Add ${noun}`}
      </Button>
      <p className="min-w-0 flex-1 text-xs text-ink-faint">{hint}</p>
    </div>
  );
}
