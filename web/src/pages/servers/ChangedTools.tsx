import type { Tool } from '../../api/client.ts';
import { ChangedTool } from './ChangedTool.tsx';

export interface ChangedToolsProps {
  readonly tools: readonly Tool[];
  readonly isAdmin: boolean;
}

/** Tools that are no longer what somebody agreed to, to accept or to reject. */
export function ChangedTools({ tools, isAdmin }: ChangedToolsProps) {
  if (tools.length === 0) {
    return (
      <p className="text-ink-soft">
        Every tool is as it was when it was first seen or last accepted. A server that changes one later has to wait for
        you here.
      </p>
    );
  }
  return (
    <ul aria-label="Changed tools" className="flex flex-col gap-3">
      {tools.slice(0, maxShown).map((tool) => (
        <li key={tool.name}>
          <ChangedTool tool={tool} isAdmin={isAdmin} />
        </li>
      ))}
      {tools.length > maxShown && (
        <li className="text-ink-soft">{tools.length - maxShown} more are shown when these are decided.</li>
      )}
    </ul>
  );
}

// Each is to be read before it is decided, so more at a time help nobody.
const maxShown = 50;
