import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Profile } from '../../../api/client.ts';
import { Button, ButtonLink } from '../../../components/Button.tsx';
import { classNames } from '../../../components/class-names.ts';
import { EmptyState } from '../../../components/EmptyState.tsx';
import { Notice } from '../../../components/ErrorNotice.tsx';
import { Checkbox, SearchInput } from '../../../components/fields.tsx';
import { isRecord } from '../../../components/is-record.ts';
import { LongList } from '../../../components/LongList.tsx';
import { Page } from '../../../components/Page.tsx';
import { QueryState } from '../../../components/QueryState.tsx';
import { safeText } from '../../../components/safe-text.ts';
import { ViewToggle } from '../../../components/ViewToggle.tsx';
import { formatNumber } from '../../../text/formats.ts';
import { plural } from '../../../text/plural.ts';
import { ItemRunner } from './ItemRunner.tsx';
import { type Answerable, sendRequest } from './mcp-client.ts';
import { type ItemKind, type PlaygroundItem, toItems } from './playground-items.ts';

const answerableTexts = { elicitation: 'Elicitation', sampling: 'Sampling' };

const answerable: readonly Answerable[] = ['elicitation', 'sampling'];
const kinds: readonly ItemKind[] = ['tools', 'resources', 'prompts'];

/** The lists of a profile, read from its MCP endpoint, and calls with its policy. */
export function Playground({ profile }: { readonly profile: Profile }) {
  const [kind, setKind] = useState<ItemKind>('tools');
  const [search, setSearch] = useState('');
  const [selected, setSelected] = useState<PlaygroundItem>();
  const [answers, setAnswers] = useState<readonly Answerable[]>(answerable);
  const lists = useQuery({
    // Changes of tools, servers and the profile refetch it.
    queryKey: ['previews', 'playground', profile.name, profile.updatedAt],
    queryFn: ({ signal }) => readLists(profile, signal),
    staleTime: 0,
  });
  const items = lists.data?.items[kind] ?? [];
  const sought = search.trim().toLowerCase();
  const found = items.filter(({ name, description }) => `${name}\n${description}`.toLowerCase().includes(sought));
  return (
    <Page
      title={`Try ${safeText(profile.name, 100)}`}
      description="What clients of this profile see, read from its MCP endpoint. Calls follow its approval policy."
      actions={
        <>
          <Button onClick={() => void lists.refetch()} busy={lists.isFetching}>
            Refresh
          </Button>
          <ButtonLink href={`/profiles/${encodeURIComponent(profile.name)}`}>Open profile</ButtonLink>
        </>
      }
    >
      <QueryState query={lists} what="lists" />
      {lists.data && (
        <>
          {lists.data.problems.map((problem) => (
            <Notice key={problem} tone="warn">
              {safeText(problem, 500)}
            </Notice>
          ))}
          <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
            <p className="text-ink-soft">{`The list of ${plural(lists.data.items.tools.length, 'tool')} has about ${formatNumber(lists.data.tokens)} tokens.`}</p>
            <fieldset className="flex flex-wrap items-center gap-x-4 gap-y-1">
              <legend className="float-left mr-3 text-ink-soft">The client answers:</legend>
              {answerable.map((name) => (
                <Checkbox
                  key={name}
                  label={answerableTexts[name]}
                  checked={answers.includes(name)}
                  onChange={(checked) =>
                    setAnswers(answerable.filter((one) => (one === name ? checked : answers.includes(one))))
                  }
                />
              ))}
            </fieldset>
          </div>
          <div className="grid min-w-0 gap-4 lg:grid-cols-[21rem_minmax(0,1fr)]">
            <div className={classNames('flex min-w-0 flex-col gap-2', selected && 'hidden lg:flex')}>
              <ViewToggle
                label="Kind"
                views={kinds.map((id) => ({
                  id,
                  label: `${{ tools: 'Tools', resources: 'Resources', prompts: 'Prompts' }[id]} (${formatNumber(lists.data.items[id].length)})`,
                }))}
                value={kind}
                onChange={(next) => {
                  setKind(next);
                  setSelected(undefined);
                }}
              />
              <SearchInput label="Search" value={search} onChange={setSearch} />
              {found.length === 0 && (
                <p className="px-1 py-4 text-ink-soft">Nothing to show. Change the profile or the search.</p>
              )}
              <LongList label="Offered to clients" items={found} estimate={48} keyOf={({ name }) => name}>
                {(item) => (
                  <button
                    type="button"
                    aria-pressed={item === selected}
                    onClick={() => setSelected(item)}
                    className="flex w-full flex-col rounded-md px-2 py-1.5 text-left hover:bg-sunken aria-pressed:bg-accent-soft"
                  >
                    <span className="w-full truncate font-mono text-xs font-medium">{safeText(item.name, 200)}</span>
                    <span className="w-full truncate text-xs text-ink-soft">
                      {safeText(item.description.slice(0, 200), 200).replaceAll('\n', ' ')}
                    </span>
                  </button>
                )}
              </LongList>
            </div>
            {selected ? (
              <ItemRunner
                key={`${kind} ${selected.name}`}
                path={profile.path}
                item={selected}
                answers={answers}
                onClose={() => setSelected(undefined)}
              />
            ) : (
              <div className="hidden rounded-lg border border-dashed border-line lg:block">
                <EmptyState title="Nothing selected">
                  Select a tool, resource or prompt to see and send its request.
                </EmptyState>
              </div>
            )}
          </div>
        </>
      )}
    </Page>
  );
}

async function readLists({ name, path }: Pick<Profile, 'name' | 'path'>, signal: AbortSignal) {
  const problems: string[] = [];
  async function read(method: string, member: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const { response } = await sendRequest(path, method, {}, { signal });
    if (isRecord(response.error)) {
      problems.push(String(response.error.message));
      return [];
    }
    const listed = isRecord(response.result) ? response.result[member] : undefined;
    return Array.isArray(listed) ? listed.filter(isRecord) : [];
  }
  const { exposure } = await api.getProfile({ path: { profile: name }, signal });
  const tools = await read('tools/list', 'tools');
  const resources = await read('resources/list', 'resources');
  const templates = await read('resources/templates/list', 'resourceTemplates');
  const prompts = await read('prompts/list', 'prompts');
  return {
    problems: [...new Set(problems)],
    items: toItems({ tools, resources, templates, prompts }),
    // The estimate of the gateway, which the editor of the profile shows too.
    tokens: exposure?.listedTokens ?? 0,
  };
}
