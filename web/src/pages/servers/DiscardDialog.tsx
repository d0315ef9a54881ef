import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';

export interface DiscardDialogProps {
  readonly open: boolean;
  readonly onDiscard: () => void;
  readonly onClose: () => void;
}

/** Asks before what was typed is lost. */
export function DiscardDialog({ open, onDiscard, onClose }: DiscardDialogProps) {
  return (
    <ConfirmDialog open={open} title="Close without saving?" action="Discard" onConfirm={onDiscard} onClose={onClose}>
      What you entered is not stored anywhere.
    </ConfirmDialog>
  );
}
