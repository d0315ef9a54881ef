import { useState } from 'react';
import { api, type Script } from '../../api/client.ts';
import { Button, ButtonLink } from '../../components/Button.tsx';
import { BadgedTitle, Card, CardHeader } from '../../components/Card.tsx';
import { RemovalDialog } from '../../components/ConfirmDialog.tsx';
import { Facts } from '../../components/FactList.tsx';
import { safeText } from '../../components/safe-text.ts';
import { TextLink } from '../../components/TextLink.tsx';
import { TimeAgo } from '../../components/times.tsx';
import { toolAddress } from '../../components/tool-address.ts';
import { formatDuration } from '../../text/formats.ts';
import { plural } from '../../text/plural.ts';

const sourcesTexts = { file: 'Configuration file', store: 'Saved' };

/** A card for each script. */
export function ScriptList({ scripts }: { readonly scripts: readonly Script[] }) {
  const [removed, setRemoved] = useState<Script>();
  return (
    <>
      {scripts.map((script) => (
        <ScriptCard
          key={script.name}
          script={script}
          onRemove={script.readOnly === undefined ? () => setRemoved(script) : undefined}
        />
      ))}
      <RemovalDialog
        item={removed}
        title={({ name }) => `Delete '${name}'?`}
        action="Delete"
        remove={({ name }) => api.removeScript({ path: { script: name } })}
        done="The script was deleted"
        queryKey="scripts"
        onClose={() => setRemoved(undefined)}
      >
        {() => 'Its tool disappears from all lists. Calls that are running go on.'}
      </RemovalDialog>
    </>
  );
}

interface ScriptCardProps {
  readonly script: Script;
  readonly onRemove: (() => void) | undefined;
}

function ScriptCard({ script, onRemove }: ScriptCardProps) {
  const { tool, description, input, timeoutMs, maxInstances, updatedAt } = script;
  const name = safeText(script.name, 100);
  const parameters = Object.keys((input?.properties as object | undefined) ?? {});
  return (
    <Card aria-label={name}>
      <CardHeader
        title={<BadgedTitle name={name} badge={sourcesTexts[script.source]} />}
        hint={description === undefined ? undefined : safeText(description, 1_000)}
        actions={
          <>
            <ButtonLink size="small" href={`/scripts/${encodeURIComponent(script.name)}`}>
              {script.readOnly === undefined ? 'Edit' : 'View'}
            </ButtonLink>
            <ButtonLink size="small" look="quiet" href={`/scripts/new?copy=${encodeURIComponent(script.name)}`}>
              Duplicate
            </ButtonLink>
            {onRemove && (
              <Button size="small" look="quiet" onClick={onRemove} aria-label={`Delete ${name}`}>
                Delete
              </Button>
            )}
          </>
        }
      />
      <Facts
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
      />
    </Card>
  );
}
