import type { DefinitionWarning } from '../api/client.ts';
import { Notice } from './ErrorNotice.tsx';
import { safeText } from './safe-text.ts';

const words: Readonly<Record<DefinitionWarning['rule'], string>> = {
  'hidden-characters': 'Contains invisible characters',
  'look-alike-name': 'Has a name that resembles another',
  'excessive-length': 'Is unusually long',
  'encoded-text': 'Contains encoded text',
  'overrides-instructions': 'Gives the model instructions',
  'hides-from-user': 'Asks to hide something from you',
  'skips-approval': 'Asks to skip approval',
  'wants-secrets': 'Asks for secrets or for files with secrets',
  'commands-other-tools': 'Tells the model how to use other tools',
  'sends-data-out': 'Sends data elsewhere',
};

/** Whether a tool's warnings are serious enough for a badge. */
export function isSuspicious(warnings: readonly DefinitionWarning[] | undefined): boolean {
  return warnings?.some(({ severity }) => severity !== 'low') === true;
}

/** The warnings about a tool's definition, each with an excerpt. */
export function DefinitionWarnings({ warnings }: { readonly warnings: readonly DefinitionWarning[] }) {
  return (
    <Notice
      tone={isSuspicious(warnings) ? 'warn' : 'info'}
      title={isSuspicious(warnings) ? 'The definition looks suspicious' : 'Notes on the definition'}
    >
      <p>Review the definition before a model uses it. Warnings are signs, not proof.</p>
      <ul className="mt-2 flex flex-col gap-1.5">
        {warnings.map(({ rule, where, excerpt }) => (
          <li key={`${rule} ${where}`}>
            {words[rule]}, at <code className="text-xs break-all">{safeText(where, 200)}</code>:{' '}
            <q className="break-words text-ink-soft">{safeText(excerpt, 400)}</q>
          </li>
        ))}
      </ul>
    </Notice>
  );
}
