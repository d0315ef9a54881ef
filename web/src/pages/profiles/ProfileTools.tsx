import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { ProfilePreview, Tool } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { Button } from '../../components/Button.tsx';
import { ErrorNotice, messageOf } from '../../components/ErrorNotice.tsx';
import { problemAt } from '../../components/field-problems.ts';
import { Checkbox } from '../../components/fields.tsx';
import { Spinner } from '../../components/Spinner.tsx';
import { text } from '../../text/text.ts';
import { ServerChoice } from '../assistants/ServerChoice.tsx';
import { toChoices } from '../assistants/server-choices.ts';
import { toPattern } from '../assistants/tool-patterns.ts';
import { LinesField } from './LinesField.tsx';
import type { ProfileDraft } from './profile-draft.ts';
import { createToolChoice } from './tool-choice.ts';

export interface ProfileToolsProps {
  readonly draft: ProfileDraft;
  readonly preview: { readonly data?: ProfilePreview; readonly error: unknown };
  readonly error: unknown;
  readonly onChange: (change: Partial<ProfileDraft>) => void;
}

const pageSize = 50;
const words = text.profiles;
const noIds: readonly string[] = [];
const none: ReadonlySet<string> = new Set();

/** Selects the servers and tools of a profile. */
export function ProfileTools({ draft, preview, error, onChange }: ProfileToolsProps) {
  const servers = useQuery(queries.servers());
  const tools = useQuery(queries.tools());
  const [limit, setLimit] = useState(pageSize);
  const choices = useMemo(
    () => toChoices({ servers: servers.data ?? [], tools: tools.data ?? [], serverIds: noIds, first: none }),
    [servers.data, tools.data],
  );
  const choice = createToolChoice(draft, preview.data);
  const failed = servers.error ?? tools.error;
  if (failed) return <ErrorNotice error={failed} />;
  if (!servers.data || !tools.data) return <Spinner label={text.common.loading} />;

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
        {preview.data && words.offeredTokens(preview.data.count, preview.data.estimatedTokens)}
        {!preview.data && preview.error ? messageOf(preview.error) : null}
      </p>
      <Checkbox
        label={words.allServers}
        checked={draft.servers === undefined}
        onChange={(on) => onChange({ servers: on ? undefined : all.map(escapeGlob) })}
      />
      <Checkbox
        label={words.newTools}
        hint={words.newToolsHint}
        checked={draft.allow === undefined}
        onChange={(on) => onChange({ allow: on ? undefined : tools.data.filter(keep).map(toPattern) })}
      />
      <ul aria-label={words.servers} className="divide-y divide-line rounded-md border border-line">
        {choices.slice(0, limit).map((item) => (
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
        {choices.length === 0 && <li className="px-3 py-2 text-ink-soft">{words.noServers}</li>}
      </ul>
      {choices.length > limit && (
        <Button size="small" className="self-start" onClick={() => setLimit(limit + pageSize)}>
          {words.moreServers(choices.length - limit)}
        </Button>
      )}
      <details>
        <summary className="cursor-pointer text-ink-soft">{words.patterns}</summary>
        <div className="mt-3 flex flex-col gap-4">
          {draft.servers && (
            <LinesField
              label={words.servers}
              hint={words.serversHint}
              error={problemAt(error, 'servers')}
              lines={draft.servers}
              onChange={(lines) => onChange({ servers: lines })}
            />
          )}
          {draft.allow && (
            <LinesField
              label={words.offeredTools}
              hint={words.allowHint}
              error={problemAt(error, 'allow')}
              lines={draft.allow}
              onChange={(allow) => onChange({ allow })}
            />
          )}
          <LinesField
            label={words.hiddenTools}
            hint={words.denyHint}
            error={problemAt(error, 'deny')}
            lines={draft.deny}
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
