import { ChevronRight } from 'lucide-react';
import { useId, useMemo, useState } from 'react';
import type { Tool } from '../../api/client.ts';
import { formatNumber } from '../../text/formats.ts';
import { plural } from '../../text/plural.ts';
import { StatusBadge } from '../Badge.tsx';
import { Button } from '../Button.tsx';
import { classNames } from '../class-names.ts';
import { Checkbox, SearchInput, Switch } from '../fields.tsx';
import { LongList } from '../LongList.tsx';
import { ServerStatus } from '../ServerStatus.tsx';
import { safeText } from '../safe-text.ts';
import type { Choice } from './server-choices.ts';

export interface ServerChoiceProps {
  readonly choice: Choice;
  readonly isSelected: boolean;
  readonly isDisabled: (tool: Tool) => boolean;
  /** The pattern that disables a tool. */
  readonly patternOf: (tool: Tool) => string | undefined;
  readonly onSelect: (isSelected: boolean) => void;
  readonly onSwitch: (tools: readonly Tool[], on: boolean) => void;
}

/** A server with a checkbox, its status and its tools. */
export function ServerChoice(props: ServerChoiceProps) {
  const { choice, isSelected, isDisabled, onSelect } = props;
  const [isOpen, setOpen] = useState(false);
  const listId = useId();
  const { server, tools, isMissing } = choice;
  const name = safeText(choice.name, 100);
  return (
    <li className="px-3 py-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Checkbox
          className="min-w-40 flex-1"
          label={<span className="font-medium break-words">{name}</span>}
          checked={isSelected}
          onChange={onSelect}
        />
        {server && <ServerStatus status={server.status} enabled={server.enabled} />}
        {isMissing && <StatusBadge tone="bad">Deleted</StatusBadge>}
        <Button
          look="quiet"
          size="small"
          aria-expanded={isOpen}
          aria-controls={isOpen ? listId : undefined}
          aria-label={`${describeTools(tools, isSelected, isDisabled)} on ${name}`}
          disabled={tools.length === 0}
          className="ml-4 tabular-nums sm:ml-0 sm:w-32 sm:justify-end"
          onClick={() => setOpen(!isOpen)}
        >
          {describeTools(tools, isSelected, isDisabled)}
          <ChevronRight aria-hidden className={classNames('transition-transform', isOpen && 'rotate-90')} />
        </Button>
      </div>
      {isMissing && (
        <p className="mt-1 pl-6 text-xs text-ink-soft">
          This server was deleted. Uncheck it to remove it from the assistant.
        </p>
      )}
      {isOpen && (
        <div id={listId} className="mt-2 pl-6">
          <ToolSwitches {...props} />
        </div>
      )}
    </li>
  );
}

function describeTools(tools: readonly Tool[], isSelected: boolean, isDisabled: (tool: Tool) => boolean): string {
  if (tools.length === 0) return 'No tools';
  const off = isSelected ? tools.filter(isDisabled).length : 0;
  return off === 0
    ? plural(tools.length, 'tool')
    : `${formatNumber(tools.length - off)} of ${plural(tools.length, 'tool')}`;
}

const minToolsForSearch = 8;

/** The tools of a server, each with a switch. */
function ToolSwitches({ choice, isSelected, isDisabled, patternOf, onSwitch }: ServerChoiceProps) {
  const { tools } = choice;
  const server = safeText(choice.name, 100);
  const [search, setSearch] = useState('');
  const found = useMemo(() => findTools(tools, search), [tools, search]);
  const isSearching = search.trim() !== '';
  return (
    <div className="flex flex-col gap-2">
      {tools.length > minToolsForSearch && (
        <SearchInput label={`Search tools of ${server}`} value={search} onChange={setSearch} />
      )}
      {isSelected ? (
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
            isUsed={isSelected}
            isDisabled={isDisabled(tool)}
            pattern={patternOf(tool)}
            onSwitch={onSwitch}
          />
        )}
      </LongList>
    </div>
  );
}

interface ToolSwitchProps extends Pick<ServerChoiceProps, 'onSwitch'> {
  /** Whether the server is selected. */
  readonly isUsed: boolean;
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
