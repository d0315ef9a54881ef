import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { Tool } from '../../../api/client.ts';
import { queries } from '../../../api/queries.ts';
import { ButtonLink } from '../../../components/Button.tsx';
import { ErrorNotice, Notice } from '../../../components/ErrorNotice.tsx';
import { SearchInput } from '../../../components/fields.tsx';
import { Spinner } from '../../../components/Spinner.tsx';
import { safeText } from '../../../components/safe-text.ts';
import { ServerChoice } from '../../../components/tool-choice/ServerChoice.tsx';
import { toChoices } from '../../../components/tool-choice/server-choices.ts';
import { isGlob, toPattern } from '../../../components/tool-choice/tool-patterns.ts';
import { useFirstPart } from '../../../components/use-first-part.tsx';
import { formatNumber } from '../../../text/formats.ts';
import { plural } from '../../../text/plural.ts';
import type { AssistantDraft } from './assistant-draft.ts';
import { PatternField } from './PatternField.tsx';
import { useToolPreview } from './use-tool-preview.ts';

export interface ToolSelectorProps
  extends Pick<AssistantDraft, 'serverIds' | 'disabledTools' | 'trustedTools' | 'expose'> {
  readonly error: string | undefined;
  readonly onChange: (change: Partial<Pick<AssistantDraft, 'serverIds' | 'disabledTools'>>) => void;
}

const pageSize = 50;
const minServersForSearch = 8;

/** Selects the servers and tools of an assistant. */
export function ToolSelector({ serverIds, disabledTools, trustedTools, expose, error, onChange }: ToolSelectorProps) {
  const servers = useQuery(queries.servers());
  const tools = useQuery(queries.tools());
  const [search, setSearch] = useState('');
  // Selected servers come first, but a server does not move when it is selected.
  const [first] = useState(() => new Set(serverIds));
  const choices = useMemo(
    () => toChoices({ servers: servers.data ?? [], tools: tools.data ?? [], serverIds, first }),
    [servers.data, tools.data, serverIds, first],
  );
  const found = choices.filter(({ name }) => name.toLowerCase().includes(search.trim().toLowerCase()));
  const [shown, more] = useFirstPart(found, pageSize);
  const patterns = disabledTools.filter(isGlob);
  const toolPreview = useToolPreview({ serverIds, disabledTools, trustedTools, expose });
  const previewed = new Map(toolPreview.preview?.tools.map((tool) => [tool.name, tool]));
  const disabledByName = new Set(disabledTools);
  const patternOf = (tool: Tool) =>
    previewed.get(tool.name)?.disabledBy.find((pattern) => isGlob(pattern) && disabledByName.has(pattern));
  const isDisabled = (tool: Tool) => disabledByName.has(toPattern(tool)) || patternOf(tool) !== undefined;

  const failed = servers.error ?? tools.error;
  if (failed) return <ErrorNotice error={failed} title="Could not load the servers" />;
  if (!servers.data || !tools.data) return <Spinner label="Loading servers and tools …" />;
  if (choices.length === 0) return <NoServers />;

  const allTools = choices.flatMap((choice) => choice.tools);
  return (
    <>
      <ToolTotals {...toolPreview} />
      {error !== undefined && <p className="text-xs text-bad">{error}</p>}
      {choices.length > minServersForSearch && (
        <SearchInput label="Search servers" value={search} onChange={setSearch} />
      )}
      <ul aria-label="Servers" className="divide-y divide-line rounded-md border border-line">
        {shown.map((choice) => (
          <ServerChoice
            key={choice.id}
            choice={choice}
            isSelected={serverIds.includes(choice.id)}
            isDisabled={isDisabled}
            patternOf={patternOf}
            onSelect={(isSelected) =>
              onChange({
                serverIds: isSelected ? [...serverIds, choice.id] : serverIds.filter((id) => id !== choice.id),
              })
            }
            onSwitch={(switched, on) => {
              const names = new Set(switched.map(toPattern));
              const others = disabledTools.filter((pattern) => !names.has(pattern));
              onChange({ disabledTools: on ? others : [...others, ...names] });
            }}
          />
        ))}
        {found.length === 0 && <li className="px-3 py-2 text-ink-soft">No matching servers.</li>}
      </ul>
      {more}
      <details>
        <summary className="cursor-pointer text-ink-soft">
          {patterns.length === 0
            ? 'Disable tools by pattern'
            : `Disable tools by pattern (${formatNumber(patterns.length)})`}
        </summary>
        <PatternField
          className="mt-3"
          label="Pattern"
          hint="For example files/delete_*. Also applies to tools that are added later."
          patterns={patterns}
          removeVerb="Remove"
          tools={allTools}
          matchesOf={({ disabledBy }) => disabledBy}
          preview={toolPreview.preview}
          error={undefined}
          onChange={(globs) =>
            onChange({ disabledTools: [...disabledTools.filter((pattern) => !isGlob(pattern)), ...globs] })
          }
        />
      </details>
    </>
  );
}

function NoServers() {
  return (
    <div className="flex flex-wrap items-center justify-between gap-3">
      <p className="text-ink-soft">No servers yet. Add one to get tools.</p>
      <ButtonLink href="/servers?add">Add a server</ButtonLink>
    </div>
  );
}

const maxProblems = 20;

/** The number of tools, their token cost and warnings about them. */
function ToolTotals({ preview: data, isError, isOutdated }: ReturnType<typeof useToolPreview>) {
  const servers = useQuery(queries.servers()).data;
  const serverName = (id: string) => servers?.find((server) => server.id === id)?.name ?? id;
  return (
    <>
      <p aria-live="polite" aria-busy={isOutdated} className={isOutdated ? 'opacity-60' : undefined}>
        {data && (
          <span className="text-ink-soft">
            <strong className="font-semibold text-ink tabular-nums">{plural(data.count, 'tool')}</strong> for the model,
            about {formatNumber(data.estimatedTokens)} tokens per message
            {data.exposed === 'search' &&
              `. The model searches the tools; a list of all of them would take about ${formatNumber(data.allTokens)} tokens.`}
            {data.exposed === 'code' &&
              `. The model runs scripts over the tools; a list of all of them would take about ${formatNumber(data.allTokens)} tokens.`}
          </span>
        )}
        {!data && (isError ? 'Could not count the tools.' : 'Counting tools …')}
      </p>
      {data?.warning !== undefined && <Notice tone="warn">{data.warning}</Notice>}
      {data && data.missingServers.length > 0 && (
        <Problems
          title={`${plural(data.missingServers.length, 'server')} unavailable`}
          problems={data.missingServers.map(({ id, reason }) => ({ name: serverName(id), reason }))}
        />
      )}
      {data && data.omitted.length > 0 && (
        <Problems title={`${plural(data.omitted.length, 'tool')} left out`} problems={data.omitted} />
      )}
    </>
  );
}

interface ProblemsProps {
  readonly title: string;
  readonly problems: readonly { readonly name: string; readonly reason: string }[];
}

function Problems({ title, problems }: ProblemsProps) {
  return (
    <Notice tone="warn" title={title}>
      <ul>
        {problems.slice(0, maxProblems).map(({ name, reason }) => (
          <li key={name}>
            <span className="font-medium">{safeText(name, 100)}</span>: {safeText(reason, 300)}
          </li>
        ))}
      </ul>
      {problems.length > maxProblems && <p>{`${formatNumber(problems.length - maxProblems)} more.`}</p>}
    </Notice>
  );
}
