import { Plus, X } from 'lucide-react';
import { useMemo, useState } from 'react';
import { type AssistantPreview, api, type Tool } from '../../../api/client.ts';
import { Button, IconButton } from '../../../components/Button.tsx';
import { Field } from '../../../components/fields.tsx';
import { safeText } from '../../../components/safe-text.ts';
import { toolPath, toPattern } from '../../../components/tool-choice/tool-patterns.ts';
import { plural } from '../../../text/plural.ts';
import { Combobox } from './Combobox.tsx';

export interface PatternFieldProps {
  readonly label: string;
  readonly hint: string;
  readonly patterns: readonly string[];
  /** What the button of a pattern does with it. */
  readonly removeVerb: string;
  /** The suggested tools. */
  readonly tools: readonly Pick<Tool, 'server' | 'originalName'>[];
  readonly preview: AssistantPreview | undefined;
  /** The patterns that match a tool. */
  readonly matchesOf: (tool: AssistantPreview['tools'][number]) => readonly string[];
  readonly error: string | undefined;
  readonly className?: string;
  readonly onChange: (patterns: readonly string[]) => void;
}

/** A list of tool patterns, each with the number of tools it matches. */
export function PatternField(props: PatternFieldProps) {
  const { label, hint, patterns, removeVerb, tools, preview, matchesOf, error, className, onChange } = props;
  const [typed, setTyped] = useState('');
  const [problem, setProblem] = useState<string>();
  const options = useMemo(
    () => tools.map((tool) => ({ value: toPattern(tool), label: safeText(toolPath(tool), 200) })),
    [tools],
  );

  async function add(pattern: string): Promise<void> {
    if (pattern === '') return;
    try {
      await api.previewAssistant({ body: { name: pattern.slice(0, 100), disabledTools: [pattern] } });
    } catch (error) {
      setProblem((error as Error).message);
      return;
    }
    setProblem(undefined);
    // The person may have typed the next pattern meanwhile.
    setTyped((current) => (current === typed ? '' : current));
    if (!patterns.includes(pattern)) onChange([...patterns, pattern]);
  }

  return (
    <div className={className}>
      <div className="flex items-end gap-2">
        <Field className="min-w-0 flex-1" label={label} error={problem ?? error}>
          {(field) => (
            <Combobox
              {...field}
              listLabel="Tools"
              value={typed}
              placeholder="server/tool"
              options={options}
              onChange={(changed) => {
                setTyped(changed);
                setProblem(undefined);
              }}
              onPick={(pattern) => void add(pattern)}
              onEnter={() => void add(typed.trim())}
            />
          )}
        </Field>
        <Button disabled={typed.trim() === ''} onClick={() => void add(typed.trim())} icon={Plus}>
          Add
        </Button>
      </div>
      <p className="mt-1 text-xs text-ink-faint">{hint}</p>
      {patterns.length > 0 && (
        <ul aria-label={label} className="mt-2 flex max-h-64 flex-wrap gap-1.5 overflow-y-auto">
          {patterns.map((pattern) => (
            <li
              key={pattern}
              className="flex min-w-0 items-center gap-1.5 rounded-md border border-line bg-sunken py-0.5 pr-0.5 pl-2"
            >
              <span className="min-w-0 font-mono text-xs break-all">{safeText(pattern, 200)}</span>
              <span className="shrink-0 text-xs text-ink-faint">
                {preview && describeCount(preview.tools.filter((tool) => matchesOf(tool).includes(pattern)).length)}
              </span>
              <IconButton
                label={`${removeVerb} ${safeText(pattern, 200)}`}
                size="small"
                onClick={() => onChange(patterns.filter((item) => item !== pattern))}
                icon={X}
              />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function describeCount(count: number): string {
  return count === 0 ? 'no matching tools' : plural(count, 'tool');
}
