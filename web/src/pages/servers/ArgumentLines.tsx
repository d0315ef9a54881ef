import { Plus, X } from 'lucide-react';
import { type ClipboardEvent, useRef } from 'react';
import { Button, IconButton } from '../../components/Button.tsx';
import { Input } from '../../components/fields.tsx';
import { focusOnce } from './form-lines.ts';
import { SecretInput } from './SecretInput.tsx';
import { type Line, newLine } from './server-draft.ts';

export interface ArgumentLinesProps {
  readonly lines: readonly Line[];
  readonly problemAt: (at: number) => string | undefined;
  readonly onChange: (lines: readonly Line[]) => void;
}

/** The arguments of a local server, in order. */
export function ArgumentLines({ lines, problemAt, onChange }: ArgumentLinesProps) {
  const added = useRef<number>(undefined);
  const change = (id: number, value: Line['value']) =>
    onChange(lines.map((line) => (line.id === id ? { ...line, value } : line)));

  function add(): void {
    const line = newLine();
    added.current = line.id;
    onChange([...lines, line]);
  }

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
      <legend className="mb-1 font-medium">Arguments</legend>
      {lines.map(({ id, value, isStored }, at) => {
        const problem = problemAt(at);
        const described =
          problem === undefined ? {} : { 'aria-invalid': true, 'aria-describedby': `line-${id}-problem` };
        return (
          <div key={id} className="flex flex-col gap-1">
            <div className="flex items-start gap-1">
              <div className="min-w-0 flex-1">
                {isStored ? (
                  <SecretInput
                    aria-label={`Argument ${at + 1}`}
                    noun={`argument ${at + 1}`}
                    value={value}
                    isStored
                    onChange={(next) => change(id, next)}
                    {...described}
                  />
                ) : (
                  <Input
                    aria-label={`Argument ${at + 1}`}
                    placeholder="(empty)"
                    className="font-mono"
                    spellCheck={false}
                    autoComplete="off"
                    ref={(input) => focusOnce(input, id, added)}
                    value={typeof value === 'string' ? value : ''}
                    onPaste={(event) => paste(event, at)}
                    onChange={(event) => change(id, event.target.value)}
                    {...described}
                  />
                )}
              </div>
              <IconButton
                label={`Remove argument ${at + 1}`}
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
          Add argument
        </Button>
        <p className="min-w-0 flex-1 text-xs text-ink-faint">One argument per line, without quotes.</p>
      </div>
    </fieldset>
  );
}
