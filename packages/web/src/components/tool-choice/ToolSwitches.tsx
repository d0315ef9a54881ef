import { useMemo, useState } from 'react';
import type { Tool } from '../../api/client.ts';
import { formatNumber } from '../../text/formats.ts';
import { Button } from '../Button.tsx';
import { SearchInput, Switch } from '../fields.tsx';
import { LongList } from '../LongList.tsx';
import { safeText } from '../safe-text.ts';

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
        <SearchInput label={`Search tools of ${server}`} value={search} onChange={setSearch} />
      )}
      {isUsed ? (
        <div className="flex flex-wrap gap-2">
          <Button size="small" disabled={!found.some(isDisabled)} onClick={() => onSwitch(found, true)}>
            {isSearching ? `Enable ${formatNumber(found.length)} found` : 'Enable all'}
          </Button>
          <Button size="small" disabled={found.every(isDisabled)} onClick={() => onSwitch(found, false)}>
            {isSearching ? `Disable ${formatNumber(found.length)} found` : 'Disable all'}
          </Button>
        </div>
      ) : (
        <p className="text-xs text-ink-soft">Select the server to enable or disable its tools.</p>
      )}
      {found.length === 0 && <p className="text-ink-soft">No matching tools.</p>}
      <LongList label={`Tools of ${server}`} items={found} estimate={48} keyOf={(tool) => tool.name}>
        {(tool) => (
          <ToolSwitch
            tool={tool}
            isUsed={isUsed}
            isDisabled={isDisabled(tool)}
            pattern={patternOf(tool)}
            onSwitch={onSwitch}
          />
        )}
      </LongList>
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

function findTools(tools: readonly Tool[], typed: string): readonly Tool[] {
  const sought = typed.trim().toLowerCase();
  if (sought === '') return tools;
  return tools.filter(({ originalName, description }) =>
    `${originalName}\n${description}`.toLowerCase().includes(sought),
  );
}
