import { useMemo, useState } from 'react';
import type { Tool } from '../../api/client.ts';
import { Button } from '../../components/Button.tsx';
import { Input, Switch } from '../../components/fields.tsx';
import { safeText } from '../../components/safe-text.ts';
import { VirtualRows } from './VirtualRows.tsx';

export interface ToolSwitchesProps {
  /** Fit to be shown. */
  readonly server: string;
  readonly tools: readonly Tool[];
  /** False while the server is not chosen: there is nothing to switch then. */
  readonly isUsed: boolean;
  readonly isOff: (tool: Tool) => boolean;
  /** The pattern that switches a tool off. */
  readonly patternOf: (tool: Tool) => string | undefined;
  readonly onSwitch: (tools: readonly Tool[], on: boolean) => void;
}

const searchFrom = 8;

/** The single tools of a server, each on or off. */
export function ToolSwitches({ server, tools, isUsed, isOff, patternOf, onSwitch }: ToolSwitchesProps) {
  const [search, setSearch] = useState('');
  const found = useMemo(() => findTools(tools, search), [tools, search]);
  const isSearching = search.trim() !== '';
  return (
    <div className="flex flex-col gap-2">
      {tools.length > searchFrom && (
        <Input
          type="search"
          aria-label={`Find a tool of ${server}`}
          placeholder="Find a tool"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
      )}
      {isUsed ? (
        <div className="flex flex-wrap gap-2">
          <Button size="small" disabled={!found.some(isOff)} onClick={() => onSwitch(found, true)}>
            {isSearching ? `Switch on the ${found.length} found` : 'All on'}
          </Button>
          <Button size="small" disabled={found.every(isOff)} onClick={() => onSwitch(found, false)}>
            {isSearching ? `Switch off the ${found.length} found` : 'All off'}
          </Button>
        </div>
      ) : (
        <p className="text-xs text-ink-soft">Select the server to switch its tools on and off.</p>
      )}
      {found.length === 0 && <p className="text-ink-soft">No tool has that in its name or description.</p>}
      <VirtualRows
        label={`Tools of ${server}`}
        items={found}
        rowHeight={48}
        keyOf={(tool) => tool.name}
        render={(tool) => (
          <ToolSwitch tool={tool} isUsed={isUsed} isOff={isOff(tool)} pattern={patternOf(tool)} onSwitch={onSwitch} />
        )}
      />
    </div>
  );
}

interface ToolSwitchProps extends Pick<ToolSwitchesProps, 'isUsed' | 'onSwitch'> {
  readonly tool: Tool;
  readonly pattern: string | undefined;
  readonly isOff: boolean;
}

function ToolSwitch({ tool, isUsed, isOff, pattern, onSwitch }: ToolSwitchProps) {
  const isBlocked = tool.changed === 'quarantine';
  return (
    <Switch
      className="h-11 overflow-hidden [&>div]:flex-1"
      label={<span className="block truncate font-mono text-xs">{safeText(tool.originalName, 120)}</span>}
      hint={
        <span className="block truncate">
          {isBlocked
            ? 'Its definition changed. It does not run until someone accepts the change.'
            : pattern === undefined
              ? safeText(tool.description.slice(0, 300), 300).replaceAll('\n', ' ')
              : `Off by the pattern ${safeText(pattern, 100)}`}
        </span>
      }
      checked={isUsed && !isOff && !isBlocked}
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
