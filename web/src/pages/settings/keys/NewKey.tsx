import type { NewApiKey } from '../../../api/client.ts';
import { Button } from '../../../components/Button.tsx';
import { CopyButton } from '../../../components/CopyButton.tsx';
import { Dialog } from '../../../components/Dialog.tsx';
import { Notice } from '../../../components/ErrorNotice.tsx';
import { safeText } from '../../../components/safe-text.ts';

/** The one time that a key can be seen. */
export function NewKey({ made, onClose }: { readonly made: NewApiKey; readonly onClose: () => void }) {
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Key for ${safeText(made.name, 100)}`}
      footer={
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <div className="flex flex-col gap-3">
        <Notice tone="warn" title="Copy it now">
          It is not kept and can't be shown again. Whoever has it can do what it allows until it is revoked.
        </Notice>
        <div className="flex items-center gap-2 rounded-md border border-line bg-sunken px-3 py-2">
          <code className="min-w-0 flex-1 break-all select-all">{made.key}</code>
          <CopyButton text={made.key} what="key">
            Copy
          </CopyButton>
        </div>
      </div>
    </Dialog>
  );
}
