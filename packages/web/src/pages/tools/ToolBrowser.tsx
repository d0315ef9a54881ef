import { Search } from 'lucide-react';
import { type KeyboardEvent, useDeferredValue, useEffect, useId, useMemo, useRef, useState } from 'react';
import type { Tool } from '../../api/client.ts';
import { useMay } from '../../api/queries.ts';
import { Button } from '../../components/Button.tsx';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { classNames } from '../../components/class-names.ts';
import { Input, Select } from '../../components/fields.tsx';
import { safeText } from '../../components/safe-text.ts';
import { formatNumber } from '../../text/formats.ts';
import { plural } from '../../text/plural.ts';
import { optionId, ToolList } from './ToolList.tsx';
import { indexTools, isOfKind, type ToolFilter, type ToolKind } from './tool-search.ts';
import { useToolSwitch } from './use-tool-switch.ts';

export interface ToolBrowserProps {
  readonly tools: readonly Tool[];
  readonly selected: string | undefined;
  readonly onOpen: (tool: Tool) => void;
  readonly className?: string;
}

const kinds: readonly { readonly id: ToolKind; readonly label: string }[] = [
  { id: 'read-only', label: 'Read-only' },
  { id: 'destructive', label: 'Destructive' },
  { id: 'changed', label: 'Changed' },
  { id: 'off', label: 'Switched off' },
];

/** All tools with a search field and filters. The key `/` focuses the search. */
export function ToolBrowser({ tools, selected, onOpen, className }: ToolBrowserProps) {
  const [filter, setFilter] = useState<ToolFilter>({ text: '', server: '', kind: '' });
  const list = useId();
  const mayEdit = useMay('tools.write');
  const field = useSlashKey();
  const index = useMemo(() => indexTools(tools), [tools]);
  const applied = useDeferredValue(filter);
  const found = useMemo(() => index.search(applied), [index, applied]);
  const [active, setActive] = useState(() =>
    Math.max(
      0,
      found.findIndex(({ name }) => name === selected),
    ),
  );
  const counts = useMemo(() => kinds.map(({ id }) => tools.filter((tool) => isOfKind(tool, id)).length), [tools]);
  const servers = useMemo(() => [...new Set(tools.flatMap(({ server }) => server ?? []))].sort(), [tools]);
  const at = Math.min(active, Math.max(0, found.length - 1));

  function change(next: Partial<ToolFilter>): void {
    setFilter({ ...filter, ...next });
    setActive(0);
  }

  function onKeyDown(event: KeyboardEvent): void {
    // Select elements handle the arrow keys themselves.
    if (event.target instanceof HTMLSelectElement) return;
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 };
    const step = Object.hasOwn(steps, event.key) ? steps[event.key] : undefined;
    const tool = found[at];
    if (step !== undefined) setActive(Math.max(0, Math.min(found.length - 1, at + step)));
    else if (event.key === 'Enter' && tool) onOpen(tool);
    else if (event.key === 'Escape' && filter.text !== '') change({ text: '' });
    else return;
    event.preventDefault();
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it handles the keys of the search field and the list
    <div onKeyDown={onKeyDown} className={classNames('group/browser flex min-h-0 flex-col gap-2', className)}>
      <div className="relative">
        <Search aria-hidden className="pointer-events-none absolute top-2.5 left-2.5 size-4 text-ink-faint" />
        <Input
          ref={field}
          type="search"
          role="combobox"
          aria-label="Search tools"
          aria-expanded={found.length > 0}
          aria-controls={found.length > 0 ? list : undefined}
          aria-autocomplete="list"
          aria-activedescendant={found.length > 0 ? optionId(list, at) : undefined}
          placeholder="Search tools …"
          autoComplete="off"
          spellCheck={false}
          value={filter.text}
          onChange={(event) => change({ text: event.target.value })}
          className="pr-9 pl-8"
        />
        <kbd aria-hidden className="absolute top-2 right-2 rounded border border-line px-1.5 text-xs text-ink-faint">
          /
        </kbd>
      </div>
      <div className="flex gap-2">
        <Select aria-label="Server" value={filter.server} onChange={(event) => change({ server: event.target.value })}>
          <option value="">All servers</option>
          {servers.map((server) => (
            <option key={server} value={server}>
              {safeText(server, 100)}
            </option>
          ))}
        </Select>
        <Select
          aria-label="Kind"
          value={filter.kind}
          onChange={(event) => change({ kind: event.target.value as ToolFilter['kind'] })}
        >
          <option value="">All kinds</option>
          {kinds.map(({ id, label }, kind) => (
            <option key={id} value={id}>
              {`${label} (${formatNumber(counts[kind] ?? 0)})`}
            </option>
          ))}
        </Select>
      </div>
      <p role="status" className="text-xs text-ink-faint tabular-nums">
        {found.length < tools.length
          ? `${formatNumber(found.length)} of ${plural(tools.length, 'tool')}`
          : plural(tools.length, 'tool')}
      </p>
      {mayEdit && Object.values(filter).some((value) => value !== '') && <BulkSwitch tools={found} />}
      {found.length === 0 ? (
        <p className="rounded-lg border border-line bg-surface px-3 py-6 text-center text-ink-soft">
          No matching tools. Try fewer letters or another filter.
        </p>
      ) : (
        <ToolList
          id={list}
          tools={found}
          grouped={applied.text.trim() === ''}
          selected={selected}
          active={at}
          onOpen={(tool) => {
            setActive(found.indexOf(tool));
            onOpen(tool);
          }}
        />
      )}
    </div>
  );
}

/** Focuses the field when `/` is pressed outside of other fields. */
function useSlashKey() {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent) => {
      const { target } = event;
      const isTyping = target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]');
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping) return;
      event.preventDefault();
      field.current?.focus();
      field.current?.select();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  return field;
}

/** Switches all found tools on or off for everyone. For administrators. */
function BulkSwitch({ tools }: { readonly tools: readonly Tool[] }) {
  const [isAsking, setAsking] = useState(false);
  const switching = useToolSwitch();
  const off = tools.filter(({ disabled }) => disabled);
  const on = tools.filter(({ disabled }) => !disabled);
  return (
    <div className="flex flex-wrap gap-2">
      <Button size="small" disabled={on.length === 0 || switching.isPending} onClick={() => setAsking(true)}>
        {`Switch off ${plural(on.length, 'tool')} …`}
      </Button>
      {off.length > 0 && (
        <Button
          size="small"
          disabled={switching.isPending}
          onClick={() => switching.mutate({ tools: off, enabled: true })}
        >
          {`Switch on ${plural(off.length, 'tool')}`}
        </Button>
      )}
      <ConfirmDialog
        open={isAsking}
        title={`Switch off ${plural(on.length, 'tool')}?`}
        action="Switch off"
        busy={switching.isPending}
        onConfirm={() => switching.mutate({ tools: on, enabled: false }, { onSettled: () => setAsking(false) })}
        onClose={() => setAsking(false)}
      >
        They cannot be listed or called, on any profile, until you switch them on again.
      </ConfirmDialog>
    </div>
  );
}
