import { useState } from 'react';
import { api, type Script } from '../../api/client.ts';
import { Button, ButtonLink } from '../../components/Button.tsx';
import { BadgedTitle, Card, CardHeader } from '../../components/Card.tsx';
import { RemovalDialog } from '../../components/ConfirmDialog.tsx';
import { safeText } from '../../components/safe-text.ts';
import { TextLink } from '../../components/TextLink.tsx';
import { TimeAgo } from '../../components/times.tsx';
import { toolAddress } from '../../components/tool-address.ts';
import { formatDuration } from '../../text/formats.ts';
import { text } from '../../text/text.ts';
import { Facts } from '../settings/Facts.tsx';

const words = text.scripts;

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
        title={({ name }) => words.deleteTitle(name)}
        action={words.delete}
        remove={({ name }) => api.removeScript({ path: { script: name } })}
        done={words.deleted}
        queryKey="scripts"
        onClose={() => setRemoved(undefined)}
      >
        {() => words.deleteDetail}
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
        title={<BadgedTitle name={name} badge={words.sources[script.source]} />}
        hint={description === undefined ? undefined : safeText(description, 1_000)}
        actions={
          <>
            <ButtonLink size="small" href={`/scripts/${encodeURIComponent(script.name)}`}>
              {script.readOnly === undefined ? words.edit : words.view}
            </ButtonLink>
            <ButtonLink size="small" look="quiet" href={`/scripts/new?copy=${encodeURIComponent(script.name)}`}>
              {words.duplicate}
            </ButtonLink>
            {onRemove && (
              <Button size="small" look="quiet" onClick={onRemove} aria-label={words.deleteNamed(name)}>
                {words.delete}
              </Button>
            )}
          </>
        }
      />
      <Facts
        facts={[
          [
            words.tool,
            tool === undefined ? (
              words.notATool
            ) : (
              <TextLink key="tool" href={toolAddress(tool)} className="font-mono text-xs break-all">
                {safeText(tool, 200)}
              </TextLink>
            ),
          ],
          [words.arguments, parameters.length === 0 ? words.noArguments : safeText(parameters.join(', '), 500)],
          [words.limits, words.limitsOf(maxInstances, formatDuration(timeoutMs))],
          updatedAt !== undefined && [words.updated, <TimeAgo key="updated" at={updatedAt} />],
        ]}
      />
    </Card>
  );
}
