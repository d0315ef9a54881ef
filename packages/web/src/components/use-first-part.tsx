import { type ReactNode, useState } from 'react';
import { formatNumber } from '../text/formats.ts';
import { Button } from './Button.tsx';

/** The first items of a list, and a button that shows more of them where there are more. */
export function useFirstPart<Item>(items: readonly Item[], size: number): [first: readonly Item[], more: ReactNode] {
  const [count, setCount] = useState(size);
  const left = items.length - count;
  const more = left > 0 && (
    <Button size="small" className="self-start" onClick={() => setCount(count + size)}>
      {`Show more (${formatNumber(left)})`}
    </Button>
  );
  return [items.slice(0, count), more];
}
