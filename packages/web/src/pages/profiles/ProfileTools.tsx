import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ProfilePreview, Tool } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { ErrorNotice, messageOf } from '../../components/ErrorNotice.tsx';
import { problemAt } from '../../components/field-problems.ts';
import { Checkbox } from '../../components/fields.tsx';
import { LinesField } from '../../components/LinesField.tsx';
import { Spinner } from '../../components/Spinner.tsx';
import { ServerChoice } from '../../components/tool-choice/ServerChoice.tsx';
import { toChoices } from '../../components/tool-choice/server-choices.ts';
import { toPattern } from '../../components/tool-choice/tool-patterns.ts';
import { useFirstPart } from '../../components/use-first-part.tsx';
import { formatNumber } from '../../text/formats.ts';
import { plural } from '../../text/plural.ts';
import type { ProfileDraft } from './profile-draft.ts';
import { createToolChoice } from './tool-choice.ts';

export interface ProfileToolsProps {
  readonly draft: ProfileDraft;
  readonly preview: { readonly data?: ProfilePreview; readonly error: unknown };
  readonly error: unknown;
  readonly onChange: (change: Partial<ProfileDraft>) => void;
}

const pageSize = 50;
const noIds: readonly string[] = [];
const none: ReadonlySet<string> = new Set();

/** Selects the servers and tools of a profile. */
export function ProfileTools({ draft, preview, error, onChange }: ProfileToolsProps) {
  const servers = useQuery(queries.servers());
  const tools = useQuery(queries.tools());
  const choices = useMemo(
    () => toChoices({ servers: servers.data ?? [], tools: tools.data ?? [], serverIds: noIds, first: none }),
    [servers.data, tools.data],
  );
  const [shown, more] = useFirstPart(choices, pageSize);
  const choice = createToolChoice(draft, preview.data);
  const failed = servers.error ?? tools.error;
  if (failed) return <ErrorNotice error={failed} />;
  if (!servers.data || !tools.data) return <Spinner label="Loading …" />;

  const chosen = draft.servers && new Set(draft.servers);
  // Patterns over server names are edited as text.
  const isSelected = (name: string) => !chosen || chosen.has(escapeGlob(name)) || isVisible(preview.data, name);
  const all = servers.data.map(({ name }) => name);
  const keep = (tool: Tool) => !choice.isOff(tool);

  function select(name: string, on: boolean): void {
    const current = draft.servers ?? all.map(escapeGlob);
    const others = current.filter((pattern) => pattern !== escapeGlob(name));
    onChange({ servers: on ? [...others, escapeGlob(name)] : others });
  }

  return (
    <>
      <p aria-live="polite">
        {preview.data &&
          `${plural(preview.data.count, 'tool')} for clients, about ${formatNumber(preview.data.estimatedTokens)} tokens`}
        {!preview.data && preview.error ? messageOf(preview.error) : null}
      </p>
      <Checkbox
        label="All servers, also those that are added later"
        checked={draft.servers === undefined}
        onChange={(on) => onChange({ servers: on ? undefined : all.map(escapeGlob) })}
      />
      <Checkbox
        label="Offer tools that are added later"
        hint="Otherwise the profile offers only the tools that are switched on now."
        checked={draft.allow === undefined}
        onChange={(on) => onChange({ allow: on ? undefined : tools.data.filter(keep).map(toPattern) })}
      />
      <ul aria-label="Servers" className="divide-y divide-line rounded-md border border-line">
        {shown.map((item) => (
          <ServerChoice
            key={item.id}
            choice={item}
            isSelected={item.server === undefined || isSelected(item.name)}
            isDisabled={choice.isOff}
            patternOf={choice.patternOf}
            onSelect={(on) => select(item.name, on)}
            onSwitch={(switched, on) => onChange(choice.switch(switched, on))}
          />
        ))}
        {choices.length === 0 && <li className="px-3 py-2 text-ink-soft">No servers yet.</li>}
      </ul>
      {more}
      <details>
        <summary className="cursor-pointer text-ink-soft">Edit as patterns</summary>
        <div className="mt-3 flex flex-col gap-4">
          {draft.servers && (
            <LinesField
              label="Servers"
              hint="Patterns over server names, one per line."
              error={problemAt(error, 'servers')}
              lines={draft.servers}
              onChange={(lines) => onChange({ servers: lines })}
            />
          )}
          {draft.allow && (
            <LinesField
              label="Offered tools"
              hint="Patterns over server/tool, one per line. Only these tools are offered."
              error={problemAt(error, 'allow')}
              lines={draft.allow}
              onChange={(allow) => onChange({ allow })}
            />
          )}
          <LinesField
            label="Hidden tools"
            hint="Patterns over server/tool, one per line, such as files/delete_*. These tools are never offered."
            error={problemAt(error, 'deny')}
            lines={draft.deny ?? []}
            onChange={(deny) => onChange({ deny })}
          />
        </div>
      </details>
    </>
  );
}

function escapeGlob(name: string): string {
  return name.replace(/[\\*?[\]{}!]/g, '\\$&');
}

function isVisible(preview: ProfilePreview | undefined, server: string): boolean {
  return preview?.tools.some((tool) => tool.server === server && tool.visible) ?? false;
}
