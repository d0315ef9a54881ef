import { ArrowLeft } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Card } from '../../components/Card.tsx';
import { classNames } from '../../components/class-names.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { OfferList, type OfferListProps } from './OfferList.tsx';

export interface OfferSplitProps extends OfferListProps {
  /** Where the list alone is. */
  readonly listAddress: string;
  /** What is chosen; nothing where nothing is. */
  readonly children: ReactNode;
}

/** A list beside what is chosen in it; on a narrow screen one or the other. */
export function OfferSplit({ listAddress, children, ...list }: OfferSplitProps) {
  const hasChoice = list.selected !== undefined;
  return (
    <div className="grid min-w-0 gap-4 lg:grid-cols-[21rem_minmax(0,1fr)]">
      <OfferList
        {...list}
        className={classNames(
          'h-[calc(100dvh-13rem)] min-h-96 lg:sticky lg:top-4 lg:h-[calc(100dvh-10rem)]',
          hasChoice && 'hidden! lg:flex!',
        )}
      />
      {hasChoice ? (
        <Card className="flex min-w-0 flex-col gap-4 self-start p-4">
          <Link href={listAddress} className="inline-flex items-center gap-1 text-accent-strong lg:hidden">
            <ArrowLeft aria-hidden className="size-4" />
            All {list.what}
          </Link>
          {children}
        </Card>
      ) : (
        <div className="hidden rounded-lg border border-dashed border-line lg:block">
          <EmptyState title="Nothing is chosen yet">Choose one of the {list.what} to see what is in it.</EmptyState>
        </div>
      )}
    </div>
  );
}
