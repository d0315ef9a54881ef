import { useId } from 'react';
import { Checkbox, TextArea } from '../../../components/fields.tsx';
import { safeText } from '../../../components/safe-text.ts';
import { namesInText, textProblem } from './endpoint-draft.ts';

export interface ArgumentSchemaProps {
  readonly text: string;
  readonly query: readonly string[];
  readonly inPath: readonly string[];
  readonly choosesQuery: boolean;
  /** Rows could not say all of it. */
  readonly saysMore: boolean;
  readonly problem: string | undefined;
  readonly onChange: (part: { readonly text?: string; readonly query?: readonly string[] }) => void;
}

/** The arguments of an endpoint as the text of a JSON Schema. */
export function ArgumentSchema(props: ArgumentSchemaProps) {
  const { text, query, inPath, choosesQuery, saysMore, onChange } = props;
  const id = useId();
  const unreadable = textProblem(text);
  const problem = unreadable ?? props.problem;
  const free = choosesQuery ? namesInText(text).filter((name) => !inPath.includes(name)) : [];
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      <TextArea
        aria-label="JSON Schema of the arguments"
        aria-invalid={problem === undefined ? undefined : true}
        aria-describedby={problem === undefined ? `${id}-hint` : `${id}-hint ${id}-problem`}
        className="field-sizing-content max-h-96 min-h-40! font-mono text-xs"
        spellCheck={false}
        autoComplete="off"
        value={text}
        onChange={(event) => onChange({ text: event.target.value })}
      />
      <p id={`${id}-hint`} className="text-xs text-ink-faint">
        {saysMore && unreadable === undefined
          ? 'It says more than rows can show, so it is edited as text.'
          : 'Left empty, what stands in the path is required text.'}
      </p>
      {problem !== undefined && (
        <p id={`${id}-problem`} role="alert" className="text-xs text-bad">
          {problem}
        </p>
      )}
      {free.length > 0 && (
        <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
          <span>In the query, not in the body:</span>
          {free.map((name) => (
            <Checkbox
              key={name}
              label={<span className="font-mono break-all">{safeText(name, 100)}</span>}
              checked={query.includes(name)}
              onChange={(isIn) => onChange({ query: isIn ? [...query, name] : query.filter((one) => one !== name) })}
            />
          ))}
        </div>
      )}
    </div>
  );
}
