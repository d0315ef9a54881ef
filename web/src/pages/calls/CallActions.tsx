import { useMutation } from '@tanstack/react-query';
import { Ban, Repeat } from 'lucide-react';
import { useLocation } from 'wouter';
import { api } from '../../api/api.ts';
import type { Call } from '../../api/client.ts';
import { Button } from '../../components/Button.tsx';
import { useTell } from '../../components/Toasts.tsx';
import { toolAddress } from '../tools/tool-address.ts';

/** What can be done about a call: end it while it goes on, or make it once more. */
export function CallActions({ call }: { readonly call: Call }) {
  const [, navigate] = useLocation();
  const tell = useTell();
  const cancelling = useMutation({
    mutationFn: () => api.cancelCall({ path: { call: call.id } }),
    onError: tell.failed,
  });
  const isOpen = call.status === 'pending' || call.status === 'running';
  return (
    <>
      {isOpen && (
        <Button look="danger" busy={cancelling.isPending} onClick={() => cancelling.mutate()}>
          <Ban aria-hidden />
          Cancel the call
        </Button>
      )}
      <Button
        title="Opens the tool with these arguments, to look at them and run it again"
        onClick={() => navigate(toolAddress(call.tool, call.arguments))}
      >
        <Repeat aria-hidden />
        Repeat …
      </Button>
    </>
  );
}
