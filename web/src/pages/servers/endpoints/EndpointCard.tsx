import { ChevronRight, X } from 'lucide-react';
import { type RefObject, useId, useState } from 'react';
import { Badge } from '../../../components/Badge.tsx';
import { IconButton } from '../../../components/Button.tsx';
import { classNames } from '../../../components/class-names.ts';
import { safeText } from '../../../components/safe-text.ts';
import { EndpointFields, type EndpointProblems } from './EndpointFields.tsx';
import { type EndpointDraft, hasArgumentProblems } from './endpoint-draft.ts';

export interface EndpointCardProps {
  readonly endpoint: EndpointDraft;
  readonly number: number;
  readonly problems: EndpointProblems;
  /** The endpoint that was just added. It is open and focused. */
  readonly added: RefObject<number | undefined>;
  readonly onChange: (endpoint: EndpointDraft) => void;
  readonly onRemove: () => void;
}

/** One endpoint, collapsed to a line. An endpoint with problems is always open. */
export function EndpointCard({ endpoint, number, problems, added, onChange, onRemove }: EndpointCardProps) {
  const { id, name, method, path } = endpoint;
  const body = useId();
  const [isOpened, setOpened] = useState(added.current === id);
  const isOpen = isOpened || problems.size > 0 || hasArgumentProblems(endpoint);
  const label = name.trim() === '' ? `endpoint ${number}` : safeText(name, 128);
  return (
    <div className="min-w-0 rounded-md border border-line-strong/60">
      <div className="flex items-center gap-1 p-1">
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={isOpen ? body : undefined}
          className="flex min-h-9 min-w-0 flex-1 flex-wrap items-center gap-x-2 rounded px-1.5 py-1 text-left hover:bg-sunken"
          onClick={() => setOpened(!isOpen)}
        >
          <ChevronRight
            aria-hidden
            className={classNames('size-4 shrink-0 text-ink-faint transition-transform', isOpen && 'rotate-90')}
          />
          <Badge>{method}</Badge>
          <span className="min-w-0 font-mono text-xs break-all">
            {path.trim() === '' ? 'no path yet' : safeText(path, 300)}
          </span>
          <span className="min-w-0 text-ink-soft break-all">{safeText(name, 128)}</span>
        </button>
        <IconButton label={`Remove ${label}`} size="small" onClick={onRemove}>
          <X aria-hidden />
        </IconButton>
      </div>
      {isOpen && (
        <div id={body} className="border-t border-line p-3">
          <EndpointFields endpoint={endpoint} problems={problems} added={added} onChange={onChange} />
        </div>
      )}
    </div>
  );
}
