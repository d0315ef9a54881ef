import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, type Tool } from '../../api/client.ts';
import { useToast } from '../../components/Toasts.tsx';
import { plural } from '../../text/plural.ts';

interface Switching {
  readonly tools: readonly Pick<Tool, 'server' | 'originalName'>[];
  readonly enabled: boolean;
}

/** Switches tools on or off for everyone. */
export function useToolSwitch() {
  const client = useQueryClient();
  const toast = useToast();
  return useMutation({
    mutationFn: ({ tools, enabled }: Switching) =>
      api.switchTools({
        body: { enabled, tools: tools.map(({ server, originalName }) => ({ server, tool: originalName })) },
      }),
    onSuccess({ changed }, { enabled }) {
      toast(
        enabled
          ? plural(changed, { one: '# tool was switched on', other: '# tools were switched on' })
          : plural(changed, { one: '# tool was switched off', other: '# tools were switched off' }),
      );
    },
    onError: toast.error,
    onSettled: () => client.invalidateQueries({ queryKey: ['tools'] }),
  });
}
