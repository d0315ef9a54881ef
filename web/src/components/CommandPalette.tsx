import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useDeferredValue, useId, useMemo, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { queries, useIsAdmin } from '../api/queries.ts';
import { classNames } from './class-names.ts';
import { Dialog } from './Dialog.tsx';
import { Input } from './fields.tsx';
import { fuzzyScore } from './fuzzy-score.ts';
import { safeText } from './safe-text.ts';
import { toolAddress } from './tool-address.ts';

export interface CommandPaletteProps {
  readonly onClose: () => void;
}

interface Command {
  readonly kind: string;
  readonly title: string;
  readonly detail?: string;
  readonly href: string;
}

const pages: readonly Command[] = [
  ['Overview', '/'],
  ['Chat', '/chat'],
  ['Approvals', '/approvals'],
  ['Answered approvals', '/approvals?tab=answered'],
  ['Servers', '/servers'],
  ['Tools', '/tools'],
  ['Resources', '/tools?show=resources'],
  ['Prompts', '/tools?show=prompts'],
  ['Calls', '/calls'],
  ['Assistants', '/assistants'],
  ['Settings: models', '/settings/models'],
  ['Settings: profiles', '/settings/profiles'],
  ['Settings: session', '/settings/session'],
  ['Connect a client', '/settings/connect'],
].map(([title = '', href = '']) => ({ kind: 'Page', title, href }));

const adminCommands: readonly Command[] = [
  { kind: 'Page', title: 'Rules', href: '/approvals?tab=rules' },
  { kind: 'Page', title: 'Settings: keys', href: '/settings/keys' },
  { kind: 'Page', title: 'Settings: configuration', href: '/settings/configuration' },
  { kind: 'Action', title: 'Add a server', href: '/servers?add' },
  { kind: 'Action', title: 'Import servers', href: '/servers?import' },
  { kind: 'Action', title: 'Browse the registry', href: '/servers?registry' },
  { kind: 'Action', title: 'Create an assistant', href: '/assistants/new' },
];

const maxShown = 50;

/** Finds pages, servers, tools, calls, assistants, conversations and actions by a part of their name. */
export function CommandPalette({ onClose }: CommandPaletteProps) {
  const [, navigate] = useLocation();
  const [text, setText] = useState('');
  const [active, setActive] = useState(0);
  const list = useId();
  const field = useRef<HTMLInputElement>(null);
  const commands = useCommands();
  const typed = useDeferredValue(text);
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
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setActive(0);
          }}
          onKeyDown={onKeyDown}
        />
        <p role="status" className={found.length === 0 ? 'px-2 py-4 text-center text-ink-soft' : 'sr-only'}>
          {found.length === 0 ? 'Nothing found. Try fewer letters.' : `${found.length} found`}
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
  const isAdmin = useIsAdmin();
  const servers = useQuery(queries.servers()).data;
  const tools = useQuery(queries.tools()).data;
  const assistants = useQuery(queries.assistants()).data;
  const conversations = useQuery(queries.conversations()).data;
  const calls = useQuery(queries.calls({ limit: 100 })).data?.calls;
  return useMemo(
    () => [
      ...pages,
      ...(isAdmin ? adminCommands : []),
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
      ...(assistants ?? []).map(({ id, name }) => ({ kind: 'Assistant', title: name, href: `/assistants/${id}` })),
      ...(conversations ?? []).map(({ id, title }) => ({ kind: 'Conversation', title, href: `/chat/${id}` })),
      ...(calls ?? []).map(({ id, originalName, createdAt }) => ({
        kind: 'Call',
        title: originalName,
        detail: new Date(createdAt).toLocaleString(),
        href: `/calls/${encodeURIComponent(id)}`,
      })),
    ],
    [isAdmin, servers, tools, assistants, conversations, calls],
  );
}

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
  ['A', 'Approval: allow once'],
  ['D', 'Approval: deny'],
  ['E', 'Approval: edit the arguments'],
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
