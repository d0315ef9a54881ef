import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useDeferredValue, useId, useMemo, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { queries, useIsAdmin } from '../api/queries.ts';
import { formatTime } from '../text/formats.ts';
import { text } from '../text/text.ts';
import { answerKeys } from './approval/answer-keys.ts';
import { classNames } from './class-names.ts';
import { Dialog } from './Dialog.tsx';
import { Input } from './fields.tsx';
import { fuzzyScore } from './fuzzy-score.ts';
import { safeText } from './safe-text.ts';
import { toolAddress } from './tool-address.ts';
import { typedAhead } from './typed-ahead.ts';

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
  [text.commandPalette.overview, '/'],
  [text.commandPalette.chat, '/chat'],
  [text.commandPalette.approvals, '/approvals'],
  [text.commandPalette.answeredApprovals, '/approvals?tab=answered'],
  [text.commandPalette.servers, '/servers'],
  [text.commandPalette.tools, '/tools'],
  [text.commandPalette.resources, '/tools?show=resources'],
  [text.commandPalette.prompts, '/tools?show=prompts'],
  [text.tools.page.skills, '/tools?show=skills'],
  [text.commandPalette.calls, '/calls'],
  [text.commandPalette.callStatistics, '/calls?show=statistics'],
  [text.commandPalette.savedRequests, '/calls?show=requests'],
  [text.navigation.profiles, '/profiles'],
  [text.commandPalette.assistants, '/assistants'],
  [text.navigation.accounts, '/accounts'],
  [text.commandPalette.settingsModels, '/settings/models'],
  [text.commandPalette.settingsActivity, '/settings/activity'],
  [text.commandPalette.settingsSession, '/settings/session'],
  [text.commandPalette.connectClient, '/settings/connect'],
].map(([title = '', href = '']) => ({ kind: text.commandPalette.page, title, href }));

const adminCommands: readonly Command[] = [
  { kind: text.commandPalette.page, title: text.navigation.scripts, href: '/scripts' },
  { kind: text.commandPalette.page, title: text.commandPalette.rules, href: '/approvals?tab=rules' },
  { kind: text.commandPalette.page, title: text.commandPalette.settingsKeys, href: '/settings/keys' },
  { kind: text.commandPalette.page, title: text.commandPalette.settingsUsers, href: '/settings/users' },
  { kind: text.commandPalette.page, title: text.commandPalette.settingsConfiguration, href: '/settings/configuration' },
  { kind: text.commandPalette.action, title: text.commandPalette.addServer, href: '/servers?add' },
  { kind: text.commandPalette.action, title: text.commandPalette.importServers, href: '/servers?import' },
  { kind: text.commandPalette.action, title: text.commandPalette.browseRegistry, href: '/servers?registry' },
  { kind: text.commandPalette.action, title: text.commandPalette.createAssistant, href: '/assistants/new' },
  { kind: text.commandPalette.action, title: text.commandPalette.createProfile, href: '/profiles/new' },
  { kind: text.commandPalette.action, title: text.scripts.new, href: '/scripts/new' },
];

const fleetPage: Command = {
  kind: text.commandPalette.page,
  title: text.commandPalette.settingsFleet,
  href: '/settings/fleet',
};

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
    <Dialog open onClose={onClose} title={text.commandPalette.search} initialFocus={field}>
      <div className="flex flex-col gap-2">
        <Input
          type="search"
          role="combobox"
          aria-label={text.commandPalette.searchPagesServersTools}
          aria-expanded={found.length > 0}
          aria-controls={found.length > 0 ? list : undefined}
          aria-autocomplete="list"
          aria-activedescendant={found.length > 0 ? `${list}-${at}` : undefined}
          placeholder={text.commandPalette.pagesServersToolsCalls}
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
          {found.length === 0 ? text.commandPalette.nothingFoundTryFewer : text.commandPalette.found(found.length)}
        </p>
        {found.length > 0 && (
          <div
            id={list}
            role="listbox"
            aria-label={text.commandPalette.listLabel}
            className="max-h-[50vh] overflow-y-auto"
          >
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
  const hasFleet = useQuery({ ...queries.fleet(), enabled: isAdmin }).data?.shared === true;
  const servers = useQuery(queries.servers()).data;
  const tools = useQuery(queries.tools()).data;
  const assistants = useQuery(queries.assistants()).data;
  const conversations = useQuery(queries.conversations()).data;
  const calls = useQuery(queries.calls({ limit: 100 })).data?.calls;
  return useMemo(
    () => [
      ...pages,
      ...(isAdmin ? adminCommands : []),
      ...(hasFleet ? [fleetPage] : []),
      ...(servers ?? []).map(({ name }) => ({
        kind: text.common.server,
        title: name,
        href: `/servers/${encodeURIComponent(name)}`,
      })),
      ...(tools ?? []).map(({ name, originalName, server }) => ({
        kind: text.common.tool,
        title: originalName,
        detail: server,
        href: toolAddress(name),
      })),
      ...(assistants ?? []).map(({ id, name }) => ({
        kind: text.commandPalette.assistant,
        title: name,
        href: `/assistants/${id}`,
      })),
      ...(conversations ?? []).map(({ id, title }) => ({
        kind: text.commandPalette.conversation,
        title,
        href: `/chat/${id}`,
      })),
      ...(calls ?? []).map(({ id, originalName, createdAt }) => ({
        kind: text.common.call,
        title: originalName,
        detail: formatTime(createdAt),
        href: `/calls/${encodeURIComponent(id)}`,
      })),
    ],
    [isAdmin, hasFleet, servers, tools, assistants, conversations, calls],
  );
}

function findCommands(commands: readonly Command[], typed: string): readonly Command[] {
  const isCall = ({ kind }: Command) => kind === text.common.call;
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
  ['Ctrl+K or ⌘K', text.commandPalette.searchPagesServersTools],
  ['?', text.commandPalette.showList],
  ['/', text.commandPalette.toolsSearch],
  ['Ctrl+Enter', text.commandPalette.toolsRunTool],
  ...Object.entries(answerKeys).map(
    ([answer, key]) =>
      [key.toUpperCase(), text.commandPalette.approvalAnswers[answer as keyof typeof answerKeys]] as const,
  ),
  ['← →', text.commandPalette.approvalPreviousNext],
  ['Enter', text.commandPalette.chatSendMessage],
  ['Shift+Enter', text.commandPalette.chatNewLine],
  ['Esc', text.commandPalette.chatStopAnswerElsewhere],
] as const;

/** The keyboard shortcuts of the app. */
export function ShortcutList({ onClose }: CommandPaletteProps) {
  return (
    <Dialog open onClose={onClose} title={text.commandPalette.keyboardShortcuts}>
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
