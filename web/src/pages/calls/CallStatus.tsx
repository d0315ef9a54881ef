import { StatusBadge } from '../../components/Badge.tsx';
import { statusOf } from './call-status.ts';
import type { ListedCall } from './merge-calls.ts';

/** How a call stands or ended. */
export function CallStatus({ call }: { readonly call: Pick<ListedCall, 'status' | 'end'> }) {
  const { tone, word, pulsing = false, meaning } = statusOf(call);
  return (
    <span title={meaning}>
      <StatusBadge tone={tone} pulsing={pulsing}>
        {word}
      </StatusBadge>
    </span>
  );
}
