import type { DefinitionWarning } from '../api/client.ts';
import { text } from '../text/text.ts';
import { Notice } from './ErrorNotice.tsx';
import { safeText } from './safe-text.ts';

const words: Readonly<Record<DefinitionWarning['rule'], string>> = {
  'hidden-characters': text.definitionWarnings.containsInvisibleCharacters,
  'look-alike-name': text.definitionWarnings.nameResemblesAnother,
  'excessive-length': text.definitionWarnings.unusuallyLong,
  'encoded-text': text.definitionWarnings.containsEncodedText,
  'overrides-instructions': text.definitionWarnings.givesModelInstructions,
  'hides-from-user': text.definitionWarnings.asksHideSomething,
  'skips-approval': text.definitionWarnings.asksSkipApproval,
  'wants-secrets': text.definitionWarnings.asksSecretsFilesSecrets,
  'commands-other-tools': text.definitionWarnings.tellsModelHowUse,
  'sends-data-out': text.definitionWarnings.sendsDataElsewhere,
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
      title={
        isSuspicious(warnings)
          ? text.definitionWarnings.definitionLooksSuspicious
          : text.definitionWarnings.notesDefinition
      }
    >
      <p>{text.definitionWarnings.reviewDefinitionBeforeModel}</p>
      <ul className="mt-2 flex flex-col gap-1.5">
        {warnings.map(({ rule, where, excerpt }) => (
          <li key={`${rule} ${where}`}>
            {text.definitionWarnings.warning(
              words[rule],
              <code className="text-xs break-all">{safeText(where, 200)}</code>,
              <q className="break-words text-ink-soft">{safeText(excerpt, 400)}</q>,
            )}
          </li>
        ))}
      </ul>
    </Notice>
  );
}
