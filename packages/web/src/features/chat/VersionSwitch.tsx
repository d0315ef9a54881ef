import { ChevronLeft, ChevronRight } from 'lucide-react';
import type { Message } from '../../api/client.ts';
import { IconButton } from '../../components/Button.tsx';
import { formatNumber } from '../../text/formats.ts';

export interface VersionSwitchProps {
  readonly message: Message;
  readonly disabled: boolean;
  readonly onSelect: (version: string) => void;
}

/** Switches between the versions of a message; hidden if there is only one. */
export function VersionSwitch({ message: { id, versions = [] }, disabled, onSelect }: VersionSwitchProps) {
  const at = versions.indexOf(id);
  const [previous, next] = [versions[at - 1], versions[at + 1]];
  if (versions.length < 2) return null;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend
    <span role="group" aria-label="Versions" className="flex items-center text-xs text-ink-faint">
      <IconButton
        label="Previous version"
        size="small"
        disabled={disabled || previous === undefined}
        onClick={() => previous !== undefined && onSelect(previous)}
        icon={ChevronLeft}
      />
      <span className="tabular-nums">{`${formatNumber(at + 1)} of ${formatNumber(versions.length)}`}</span>
      <IconButton
        label="Next version"
        size="small"
        disabled={disabled || next === undefined}
        onClick={() => next !== undefined && onSelect(next)}
        icon={ChevronRight}
      />
    </span>
  );
}
