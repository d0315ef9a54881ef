import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useMemo, useRef, useState } from 'react';
import type { Tool } from '../../api/client.ts';
import { Button } from '../../components/Button.tsx';
import { Input, Switch } from '../../components/fields.tsx';
import { safeText } from '../../components/safe-text.ts';

export interface ToolSwitchesProps {
  /** The name of the server, already escaped. */
  readonly server: string;
  readonly tools: readonly Tool[];
  /** Whether the server is selected. */
  readonly isUsed: boolean;
  readonly isDisabled: (tool: Tool) => boolean;
  /** The pattern that disables a tool. */
  readonly patternOf: (tool: Tool) => string | undefined;
  readonly onSwitch: (tools: readonly Tool[], on: boolean) => void;
}

const minToolsForSearch = 8;

/** The tools of a server, each with a switch. */
export function ToolSwitches({ server, tools, isUsed, isDisabled, patternOf, onSwitch }: ToolSwitchesProps) {
  const [search, setSearch] = useState('');
  const found = useMemo(() => findTools(tools, search), [tools, search]);
  const isSearching = search.trim() !== '';
  return (
    <div className="flex flex-col gap-2">
      {tools.length > minToolsForSearch && (
        <Input
          type="search"
          aria-label={`Search tools of ${server}`}
          placeholder="Search tools"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
      )}
      {isUsed ? (
        <div className="flex flex-wrap gap-2">
          <Button size="small" disabled={!found.some(isDisabled)} onClick={() => onSwitch(found, true)}>
            {isSearching ? `Enable ${found.length} found` : 'Enable all'}
          </Button>
          <Button size="small" disabled={found.every(isDisabled)} onClick={() => onSwitch(found, false)}>
            {isSearching ? `Disable ${found.length} found` : 'Disable all'}
          </Button>
        </div>
      ) : (
        <p className="text-xs text-ink-soft">Select the server to enable or disable its tools.</p>
      )}
      {found.length === 0 && <p className="text-ink-soft">No matching tools.</p>}
      <VirtualRows
        label={`Tools of ${server}`}
        items={found}
        rowHeight={48}
        keyOf={(tool) => tool.name}
        render={(tool) => (
          <ToolSwitch
            tool={tool}
            isUsed={isUsed}
            isDisabled={isDisabled(tool)}
            pattern={patternOf(tool)}
            onSwitch={onSwitch}
          />
        )}
      />
    </div>
  );
}

interface ToolSwitchProps extends Pick<ToolSwitchesProps, 'isUsed' | 'onSwitch'> {
  readonly tool: Tool;
  readonly pattern: string | undefined;
  readonly isDisabled: boolean;
}

function ToolSwitch({ tool, isUsed, isDisabled, pattern, onSwitch }: ToolSwitchProps) {
  const isBlocked = tool.changed === 'quarantine';
  return (
    <Switch
      className="h-11 overflow-hidden [&>div]:flex-1"
      label={<span className="block truncate font-mono text-xs">{safeText(tool.originalName, 120)}</span>}
      hint={
        <span className="block truncate">
          {isBlocked
            ? 'Blocked: its definition changed. Review it on the Servers page.'
            : pattern === undefined
              ? safeText(tool.description.slice(0, 300), 300).replaceAll('\n', ' ')
              : `Disabled by the pattern ${safeText(pattern, 100)}`}
        </span>
      }
      checked={isUsed && !isDisabled && !isBlocked}
      disabled={!isUsed || pattern !== undefined || isBlocked}
      onChange={(on) => onSwitch([tool], on)}
    />
  );
}

function findTools(tools: readonly Tool[], text: string): readonly Tool[] {
  const sought = text.trim().toLowerCase();
  if (sought === '') return tools;
  return tools.filter(({ originalName, description }) =>
    `${originalName}\n${description}`.toLowerCase().includes(sought),
  );
}

interface VirtualRowsProps<Item> {
  readonly label: string;
  readonly items: readonly Item[];
  /** In pixels. */
  readonly rowHeight: number;
  readonly keyOf: (item: Item) => string;
  readonly render: (item: Item) => ReactNode;
}

/** A virtualized list. */
function VirtualRows<Item>({ label, items, rowHeight, keyOf, render }: VirtualRowsProps<Item>) {
  const scrollBox = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => scrollBox.current,
    estimateSize: () => rowHeight,
    overscan: 8,
    getItemKey: (at) => {
      const item = items[at];
      return item === undefined ? at : keyOf(item);
    },
  });
  return (
    <div ref={scrollBox} className="max-h-96 overflow-y-auto">
      <ul aria-label={label} className="relative" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ key, index, start }) => {
          const item = items[index];
          return (
            <li
              key={key}
              aria-setsize={items.length}
              aria-posinset={index + 1}
              className="absolute inset-x-0"
              style={{ top: start, height: rowHeight }}
            >
              {item !== undefined && render(item)}
            </li>
          );
        })}
      </ul>
    </div>
  );
}
