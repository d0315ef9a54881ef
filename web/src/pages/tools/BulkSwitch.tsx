import { useState } from 'react';
import type { Tool } from '../../api/client.ts';
import { Button } from '../../components/Button.tsx';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { text } from '../../text/text.ts';
import { useToolSwitch } from './use-tool-switch.ts';

const words = text.tools.administration;

/** Switches all found tools on or off for everyone. For administrators. */
export function BulkSwitch({ tools }: { readonly tools: readonly Tool[] }) {
  const [isAsking, setAsking] = useState(false);
  const switching = useToolSwitch();
  const off = tools.filter(({ disabled }) => disabled);
  const on = tools.filter(({ disabled }) => !disabled);
  return (
    <div className="flex flex-wrap gap-2">
      <Button size="small" disabled={on.length === 0 || switching.isPending} onClick={() => setAsking(true)}>
        {words.switchOff(on.length)}
      </Button>
      {off.length > 0 && (
        <Button
          size="small"
          disabled={switching.isPending}
          onClick={() => switching.mutate({ tools: off, enabled: true })}
        >
          {words.switchOn(off.length)}
        </Button>
      )}
      <ConfirmDialog
        open={isAsking}
        title={words.switchOffTitle(on.length)}
        action={words.switchOffAction}
        busy={switching.isPending}
        onConfirm={() => switching.mutate({ tools: on, enabled: false }, { onSettled: () => setAsking(false) })}
        onClose={() => setAsking(false)}
      >
        {words.switchOffDetail}
      </ConfirmDialog>
    </div>
  );
}
