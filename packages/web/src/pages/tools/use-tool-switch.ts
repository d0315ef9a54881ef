import { api, type Tool } from '../../api/client.ts';
import { useAction } from '../../components/use-action.ts';
import { plural } from '../../text/plural.ts';

interface Switching {
  readonly tools: readonly Pick<Tool, 'server' | 'originalName'>[];
  readonly enabled: boolean;
}

/** Switches tools on or off for everyone. */
export function useToolSwitch() {
  return useAction({
    run: ({ tools, enabled }: Switching) =>
      api.switchTools({
        body: { enabled, tools: tools.map(({ server, originalName }) => ({ server, tool: originalName })) },
      }),
    done: ({ changed }, { enabled }) =>
      enabled
        ? plural(changed, { one: '# tool was switched on', other: '# tools were switched on' })
        : plural(changed, { one: '# tool was switched off', other: '# tools were switched off' }),
    refetch: ['tools'],
  });
}
