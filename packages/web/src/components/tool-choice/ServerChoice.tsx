import { ChevronRight } from 'lucide-react';
import { useId, useState } from 'react';
import type { Tool } from '../../api/client.ts';
import { formatNumber } from '../../text/formats.ts';
import { plural } from '../../text/plural.ts';
import { StatusBadge } from '../Badge.tsx';
import { Button } from '../Button.tsx';
import { classNames } from '../class-names.ts';
import { Checkbox } from '../fields.tsx';
import { ServerStatus } from '../ServerStatus.tsx';
import { safeText } from '../safe-text.ts';
import type { Choice } from './server-choices.ts';
import { ToolSwitches } from './ToolSwitches.tsx';

export interface ServerChoiceProps {
  readonly choice: Choice;
  readonly isSelected: boolean;
  readonly isDisabled: (tool: Tool) => boolean;
  readonly patternOf: (tool: Tool) => string | undefined;
  readonly onSelect: (isSelected: boolean) => void;
  readonly onSwitch: (tools: readonly Tool[], on: boolean) => void;
}

/** A server with a checkbox, its status and its tools. */
export function ServerChoice({ choice, isSelected, isDisabled, patternOf, onSelect, onSwitch }: ServerChoiceProps) {
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
          <ToolSwitches
            server={name}
            tools={tools}
            isUsed={isSelected}
            isDisabled={isDisabled}
            patternOf={patternOf}
            onSwitch={onSwitch}
          />
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
