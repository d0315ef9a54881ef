import { ChevronRight } from 'lucide-react';
import { useId, useState } from 'react';
import type { Tool } from '../../api/client.ts';
import { StatusBadge } from '../../components/Badge.tsx';
import { Button } from '../../components/Button.tsx';
import { classNames } from '../../components/class-names.ts';
import { Checkbox } from '../../components/fields.tsx';
import { ServerStatus } from '../../components/ServerStatus.tsx';
import { safeText } from '../../components/safe-text.ts';
import type { Choice } from './server-choices.ts';
import { ToolSwitches } from './ToolSwitches.tsx';

export interface ServerChoiceProps {
  readonly choice: Choice;
  readonly isSelected: boolean;
  readonly isOff: (tool: Tool) => boolean;
  readonly patternOf: (tool: Tool) => string | undefined;
  readonly onSelect: (isSelected: boolean) => void;
  readonly onSwitch: (tools: readonly Tool[], on: boolean) => void;
}

/** One server: chosen or not, how it is doing, how many tools it brings, and each of them. */
export function ServerChoice({ choice, isSelected, isOff, patternOf, onSelect, onSwitch }: ServerChoiceProps) {
  const [isOpen, setOpen] = useState(false);
  const listId = useId();
  const { server, tools, isGone } = choice;
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
        {isGone && <StatusBadge tone="bad">Not there</StatusBadge>}
        <Button
          look="quiet"
          size="small"
          aria-expanded={isOpen}
          aria-controls={isOpen ? listId : undefined}
          aria-label={`${countOf(tools, isSelected, isOff)} of ${name}`}
          disabled={tools.length === 0}
          className="ml-4 tabular-nums sm:ml-0 sm:w-32 sm:justify-end"
          onClick={() => setOpen(!isOpen)}
        >
          {countOf(tools, isSelected, isOff)}
          <ChevronRight aria-hidden className={classNames('transition-transform', isOpen && 'rotate-90')} />
        </Button>
      </div>
      {isGone && (
        <p className="mt-1 pl-6 text-xs text-ink-soft">
          There is no server of this id any more. Unselect it to forget it.
        </p>
      )}
      {isOpen && (
        <div id={listId} className="mt-2 pl-6">
          <ToolSwitches
            server={name}
            tools={tools}
            isUsed={isSelected}
            isOff={isOff}
            patternOf={patternOf}
            onSwitch={onSwitch}
          />
        </div>
      )}
    </li>
  );
}

function countOf(tools: readonly Tool[], isSelected: boolean, isOff: (tool: Tool) => boolean): string {
  if (tools.length === 0) return 'No tools';
  const all = tools.length === 1 ? '1 tool' : `${tools.length} tools`;
  const off = isSelected ? tools.filter(isOff).length : 0;
  return off === 0 ? all : `${tools.length - off} of ${all}`;
}
