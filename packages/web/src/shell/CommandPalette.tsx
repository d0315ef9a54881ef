import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useDeferredValue, useId, useMemo, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { answerKeys } from '../../../contract/approvals.ts';
import { queries } from '../api/queries.ts';
import { classNames } from '../components/class-names.ts';
import { Dialog } from '../components/Dialog.tsx';
import { Input } from '../components/fields.tsx';
import { safeText } from '../components/safe-text.ts';
import { toolAddress } from '../components/tool-address.ts';
import { formatNumber, formatTime } from '../text/formats.ts';
import { type Command, useFeatures } from './feature.ts';
import { fuzzyScore } from './fuzzy-score.ts';
import { typedAhead } from './typed-ahead.ts';

const approvalAnswersTexts = {
  once: 'Approval: allow once',
  flow: 'Approval: allow the data flow in this conversation',
  conversation: 'Approval: always allow the tool in this conversation',
  tool: 'Approval: always allow the tool for this caller',
  server: 'Approval: always allow all tools of the server for this caller',
  edit: 'Approval: edit the arguments',
  deny: 'Approval: deny',
};

export interface CommandPaletteProps {
  readonly onClose: () => void;
}

const pages: readonly Command[] = [
  ['Overview', '/'],
  ['Approvals', '/approvals'],
  ['Answered approvals', '/approvals?tab=answered'],
  ['Servers', '/servers'],
  ['Tools', '/tools'],
  ['Resources', '/tools?show=resources'],
  ['Prompts', '/tools?show=prompts'],
  ['Calls', '/calls'],
  ['Call statistics', '/calls?show=statistics'],
  ['Saved requests', '/calls?show=requests'],
  ['Profiles', '/profiles'],
  ['Settings: activity', '/settings/activity'],
  ['Settings: session', '/settings/session'],
  ['Connect a client', '/settings/connect'],
].map(([title = '', href = '']) => ({ kind: 'Page', title, href }));

const commands: readonly Command[] = [
  { kind: 'Page', title: 'Rules', href: '/approvals?tab=rules', needs: 'rules.write' },
  { kind: 'Page', title: 'Settings: keys', href: '/settings/keys', needs: 'keys.own' },
  { kind: 'Page', title: 'Settings: configuration', href: '/settings/configuration', needs: 'settings.read' },
  { kind: 'Action', title: 'Add a server', href: '/servers?add', needs: 'servers.write' },
  { kind: 'Action', title: 'Import servers', href: '/servers?import', needs: 'servers.write' },
  { kind: 'Action', title: 'Create a profile', href: '/profiles/new', needs: 'profiles.write' },
];

const maxShown = 50;

/** Finds pages, servers, tools, calls, assistants, conversations and actions by a part of their name. */
export function CommandPalette({ onClose }: CommandPaletteProps) {
  const [, navigate] = useLocation();
  const [content, setText] = useState('');
  const [active, setActive] = useState(0);
  const list = useId();
  const field = useRef<HTMLInputElement>(null);
  const commands = useCommands();
  const typed = useDeferredValue(content);
  const found = useMemo(() => findCommands(commands, typed), [commands, typed]);
  const at = Math.min(active, found.length - 1);

  function open(command: Command | undefined): void {
    if (!command) return;
    onClose();
    navigate(command.href);
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === 'ArrowDown') setActive((at + 1) % Math.max(1, found.length));
    else if (event.key === 'ArrowUp') setActive((at - 1 + found.length) % Math.max(1, found.length));
    else if (event.key === 'Enter') open(found[at]);
    else return;
    event.preventDefault();
  }

  return (
    <Dialog open onClose={onClose} title="Search" initialFocus={field}>
      <div className="flex flex-col gap-2">
        <Input
          type="search"
          role="combobox"
          aria-label="Search pages, servers, tools, calls and actions"
          aria-expanded={found.length > 0}
          aria-controls={found.length > 0 ? list : undefined}
          aria-autocomplete="list"
          aria-activedescendant={found.length > 0 ? `${list}-${at}` : undefined}
          placeholder="Pages, servers, tools, calls, actions …"
          autoComplete="off"
          spellCheck={false}
          ref={field}
          value={content}
          onFocus={() => {
            const keys = typedAhead.take();
            if (keys !== '') setText((now) => now + keys);
          }}
          onChange={(event) => {
            setText(event.target.value);
            setActive(0);
          }}
          onKeyDown={onKeyDown}
        />
        <p role="status" className={found.length === 0 ? 'px-2 py-4 text-center text-ink-soft' : 'sr-only'}>
          {found.length === 0 ? 'Nothing found. Try fewer letters.' : `${formatNumber(found.length)} found`}
        </p>
        {found.length > 0 && (
          <div id={list} role="listbox" aria-label="Found" className="max-h-[50vh] overflow-y-auto">
            {found.map((command, index) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the text field handles the keys
              <div
                key={`${command.kind} ${command.href}`}
                ref={(element) => {
                  if (index === at) element?.scrollIntoView({ block: 'nearest' });
                }}
                id={`${list}-${index}`}
                role="option"
                aria-selected={index === at}
                tabIndex={-1}
                onClick={() => open(command)}
                className={classNames(
                  'flex cursor-pointer items-baseline gap-3 rounded-md px-2 py-1.5',
                  index === at ? 'bg-accent-soft' : 'hover:bg-sunken',
                )}
              >
                <span className="min-w-0 flex-1 truncate">
                  {safeText(command.title, 120)}
                  {command.detail !== undefined && (
                    <span className="ml-2 text-xs text-ink-soft">{safeText(command.detail, 80)}</span>
                  )}
                </span>
                <span className="text-xs text-ink-soft">{command.kind}</span>
              </div>
            ))}
          </div>
        )}
      </div>
    </Dialog>
  );
}

/** Everything that can be opened, pages first. */
function useCommands(): readonly Command[] {
  const permissions = useQuery(queries.session()).data?.permissions;
  const features = useFeatures();
  const servers = useQuery(queries.servers()).data;
  const tools = useQuery(queries.tools()).data;
  const calls = useQuery(queries.calls({ limit: 100 })).data?.calls;
  // biome-ignore lint/correctness/useHookAtTopLevel: see FeaturesContext
  const found = features.map(({ useCommands: useFound = useNone }) => useFound());
  // biome-ignore lint/correctness/useExhaustiveDependencies: the features do not change while the palette is open
  return useMemo(() => {
    const added = features.flatMap(({ commands = [] }, at) => [...commands, ...(found[at] ?? [])]);
    return [
      ...pages,
      ...[...commands, ...added].filter(({ needs }) => needs === undefined || permissions?.includes(needs)),
      ...(servers ?? []).map(({ name }) => ({
        kind: 'Server',
        title: name,
        href: `/servers/${encodeURIComponent(name)}`,
      })),
      ...(tools ?? []).map(({ name, originalName, server }) => ({
        kind: 'Tool',
        title: originalName,
        detail: server,
        href: toolAddress(name),
      })),
      ...(calls ?? []).map(({ id, originalName, createdAt }) => ({
        kind: 'Call',
        title: originalName,
        detail: formatTime(createdAt),
        href: `/calls/${encodeURIComponent(id)}`,
      })),
    ];
  }, [permissions, servers, tools, calls, ...found]);
}

const none: readonly Command[] = [];
const useNone = () => none;

function findCommands(commands: readonly Command[], typed: string): readonly Command[] {
  const isCall = ({ kind }: Command) => kind === 'Call';
  const scored = commands.flatMap((command) => {
    const title = fuzzyScore(command.title, typed);
    const score = Math.max(title, fuzzyScore(`${command.title} ${command.kind} ${command.detail ?? ''}`, typed) * 0.9);
    return score > 0 ? [{ command, score }] : [];
  });
  // Of equal matches, a tool comes before its calls.
  scored.sort((a, b) => b.score - a.score || Number(isCall(a.command)) - Number(isCall(b.command)));
  return scored.slice(0, maxShown).map(({ command }) => command);
}

const shortcuts = [
  ['Ctrl+K or ⌘K', 'Search pages, servers, tools, calls and actions'],
  ['?', 'Show this list'],
  ['/', 'Tools: search'],
  ['Ctrl+Enter', 'Tools: run the tool'],
  ...Object.entries(answerKeys).map(
    ([answer, key]) => [key.toUpperCase(), approvalAnswersTexts[answer as keyof typeof answerKeys]] as const,
  ),
  ['← →', 'Approval: previous or next'],
  ['Enter', 'Chat: send the message'],
  ['Shift+Enter', 'Chat: new line'],
  ['Esc', 'Chat: stop the answer. Elsewhere: close the dialog'],
] as const;

/** The keyboard shortcuts of the app. */
export function ShortcutList({ onClose }: CommandPaletteProps) {
  return (
    <Dialog open onClose={onClose} title="Keyboard shortcuts">
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] items-baseline gap-x-4 gap-y-2">
        {shortcuts.map(([keys, action]) => (
          <div key={keys} className="contents">
            <dt>
              <kbd className="rounded border border-line-strong/60 px-1.5 py-0.5 font-mono text-xs whitespace-nowrap">
                {keys}
              </kbd>
            </dt>
            <dd>{action}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
