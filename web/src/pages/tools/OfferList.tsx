import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef, useState } from 'react';
import { Badge } from '../../components/Badge.tsx';
import { classNames } from '../../components/class-names.ts';
import { Input, Select } from '../../components/fields.tsx';
import { safeText } from '../../components/safe-text.ts';

export interface Offer {
  /** Unique in the list. */
  readonly key: string;
  readonly title: string;
  readonly detail: string;
  /** A word about what it is. */
  readonly badge?: string;
}

export interface OfferListProps {
  /** What it is a list of: "resources". */
  readonly what: string;
  readonly servers: readonly string[];
  readonly server: string;
  readonly onServer: (server: string) => void;
  readonly offers: readonly Offer[];
  readonly selected: string | undefined;
  readonly onOpen: (key: string) => void;
  readonly className?: string;
}

/** What one server offers of a kind, to choose from. */
export function OfferList({ what, servers, server, onServer, offers, selected, onOpen, className }: OfferListProps) {
  const [text, setText] = useState('');
  const found = useMemo(() => {
    const wanted = text.trim().toLowerCase();
    return offers.filter(({ title, detail }) => `${title}\n${detail}`.toLowerCase().includes(wanted));
  }, [offers, text]);
  const place = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: found.length,
    getScrollElement: () => place.current,
    estimateSize: () => 52,
    overscan: 10,
  });
  return (
    <div className={classNames('flex min-h-0 flex-col gap-2', className)}>
      <Select aria-label="Server" value={server} onChange={(event) => onServer(event.target.value)}>
        {servers.map((name) => (
          <option key={name} value={name}>
            {safeText(name, 100)}
          </option>
        ))}
      </Select>
      <Input
        type="search"
        aria-label={`Search ${what}`}
        placeholder={`Search ${what} …`}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <p role="status" className="text-xs text-ink-faint tabular-nums">
        {found.length === offers.length ? `${offers.length} ${what}` : `${found.length} of ${offers.length} ${what}`}
      </p>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for inputs */}
      <div
        ref={place}
        role="group"
        aria-label={what}
        className="min-h-0 flex-1 overflow-y-auto rounded-lg border border-line bg-surface"
      >
        <div style={{ height: virtual.getTotalSize() }} className="relative">
          {virtual.getVirtualItems().map(({ index, start }) => {
            const offer = found[index];
            return (
              offer && (
                <button
                  key={offer.key}
                  type="button"
                  aria-current={offer.key === selected}
                  onClick={() => onOpen(offer.key)}
                  style={{ transform: `translateY(${start}px)` }}
                  className={classNames(
                    'absolute top-0 left-0 flex h-13 w-full flex-col justify-center gap-0.5 border-l-2 px-3 text-left -outline-offset-2',
                    offer.key === selected ? 'border-accent bg-accent-soft' : 'border-transparent hover:bg-sunken',
                  )}
                >
                  <span className="flex w-full min-w-0 items-center gap-1.5">
                    <span className="min-w-0 flex-1 truncate font-medium">{safeText(offer.title, 120)}</span>
                    {offer.badge !== undefined && <Badge>{offer.badge}</Badge>}
                  </span>
                  <span className="w-full truncate text-xs text-ink-soft">{safeText(offer.detail, 200)}</span>
                </button>
              )
            );
          })}
        </div>
      </div>
    </div>
  );
}
