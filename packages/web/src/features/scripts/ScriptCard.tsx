import { api, type Script } from '../../api/client.ts';
import { RecordCard } from '../../components/RecordCard.tsx';
import { safeText } from '../../components/safe-text.ts';
import { TextLink } from '../../components/TextLink.tsx';
import { TimeAgo } from '../../components/times.tsx';
import { toolAddress } from '../../components/tool-address.ts';
import { formatDuration } from '../../text/formats.ts';
import { plural } from '../../text/plural.ts';

const sourcesTexts = { file: 'Configuration file', store: 'Saved' };

/** A script with its tool, arguments and limits. */
export function ScriptCard({ script }: { readonly script: Script }) {
  const { tool, input, timeoutMs, maxInstances, updatedAt } = script;
  const parameters = Object.keys((input?.properties as object | undefined) ?? {});
  return (
    <RecordCard
      noun="script"
      record={script}
      badge={sourcesTexts[script.source]}
      canRemove={script.readOnly === undefined}
      remove={({ name }) => api.removeScript({ path: { script: name } })}
      facts={[
        [
          'Tool',
          tool === undefined ? (
            'Not used, because another tool has this name.'
          ) : (
            <TextLink key="tool" href={toolAddress(tool)} className="font-mono text-xs break-all">
              {safeText(tool, 200)}
            </TextLink>
          ),
        ],
        ['Arguments', parameters.length === 0 ? 'None' : safeText(parameters.join(', '), 500)],
        ['Limits', `${plural(maxInstances, 'call')} at once, ${formatDuration(timeoutMs)} each`],
        updatedAt !== undefined && ['Last change', <TimeAgo key="updated" at={updatedAt} />],
      ]}
    >
      {() => 'Its tool disappears from all lists. Calls that are running go on.'}
    </RecordCard>
  );
}
