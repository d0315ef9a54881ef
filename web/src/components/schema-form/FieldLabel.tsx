import { safeText } from '../safe-text.ts';
import type { FormSchema } from './form-schema.ts';

export interface FieldLabelProps {
  /** The title, or the name where there is none. */
  readonly label: string;
  readonly name: string | number;
  readonly required: boolean;
  readonly schema: FormSchema;
  /** The input it names; none where there is none yet. */
  readonly htmlFor?: string;
}

/** What an argument is called: its title, and the name it is sent by. */
export function FieldLabel({ label, name, required, schema, htmlFor }: FieldLabelProps) {
  const isItem = typeof name === 'number';
  const content = (
    <>
      {isItem ? `Item ${name + 1}` : safeText(label, 200)}
      {!isItem && label !== name && <code className="ml-1.5 font-normal text-ink-faint">{safeText(name, 100)}</code>}
      {required && !isItem && (
        <span className="text-bad" aria-hidden>
          {' '}
          *
        </span>
      )}
      {schema.deprecated === true && <span className="ml-1.5 text-xs font-normal text-warn">deprecated</span>}
    </>
  );
  if (htmlFor === undefined) return <span className="font-medium break-words">{content}</span>;
  return (
    <label htmlFor={htmlFor} className="font-medium break-words">
      {content}
    </label>
  );
}
