import type { DefinitionWarning } from '../api/client.ts';
import { Notice } from './ErrorNotice.tsx';
import { safeText } from './safe-text.ts';

const words: Readonly<Record<DefinitionWarning['rule'], string>> = {
  'hidden-characters': 'Has characters that nobody can see',
  'look-alike-name': 'Its name is easily mistaken for another',
  'excessive-length': 'Is longer than anybody reads',
  'encoded-text': 'Has words in an encoding',
  'overrides-instructions': 'Gives the model instructions of its own',
  'hides-from-user': 'Wants something kept from you',
  'skips-approval': 'Wants nobody asked',
  'wants-secrets': 'Asks for secrets or files that hold them',
  'commands-other-tools': 'Tells the model how to use other tools',
  'sends-data-out': 'Has data sent elsewhere',
};

/** Whether a tool's warnings deserve a badge: slight ones are only listed. */
export function isSuspicious(warnings: readonly DefinitionWarning[] | undefined): boolean {
  return warnings?.some(({ severity }) => severity !== 'low') === true;
}

/** What is suspicious about a tool's definition, in the words of the definition. */
export function DefinitionWarnings({ warnings }: { readonly warnings: readonly DefinitionWarning[] }) {
  return (
    <Notice
      tone={isSuspicious(warnings) ? 'warn' : 'info'}
      title={isSuspicious(warnings) ? 'The definition looks suspicious' : 'Something to know about the definition'}
    >
      <p>Read it before a model does. These are signs, not proof; that there are none would prove nothing either.</p>
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
