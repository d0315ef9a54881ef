import type { ReactNode } from 'react';
import { Button } from './Button.tsx';
import { Dialog } from './Dialog.tsx';
import { useAction } from './use-action.ts';

export interface ConfirmDialogProps {
  readonly open: boolean;
  readonly title: string;
  /** The consequences. */
  readonly children: ReactNode;
  /** The verb on the button: "Remove". */
  readonly action: string;
  readonly busy?: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks for confirmation before something is removed. */
export function ConfirmDialog({ open, title, children, action, busy, onConfirm, onClose }: ConfirmDialogProps) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={title}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="danger" busy={busy ?? false} onClick={onConfirm}>
            {action}
          </Button>
        </>
      }
    >
      {children}
    </Dialog>
  );
}

export interface RemovalDialogProps<Item> {
  /** The item to remove. The dialog is closed without one. */
  readonly item: Item | undefined;
  readonly title: (item: Item) => string;
  /** The verb on the button. Default: "Remove". */
  readonly action?: string;
  readonly remove: (item: Item) => Promise<unknown>;
  /** The message after the removal. */
  readonly done: string;
  /** The first part of the keys of the queries to refetch. */
  readonly queryKey: string;
  readonly onClose: () => void;
  readonly onRemoved?: (item: Item) => void;
  /** The consequences. */
  readonly children: (item: Item) => ReactNode;
}

/** Asks for confirmation, removes an item and reports the result. */
export function RemovalDialog<Item>(props: RemovalDialogProps<Item>) {
  const { item, title, action = 'Remove', remove, done, queryKey, onClose, onRemoved, children } = props;
  const removing = useAction({
    run: (removed: Item) => remove(removed).finally(onClose),
    done,
    refetch: [queryKey],
    onSuccess: (_nothing, removed) => onRemoved?.(removed),
  });
  return (
    <ConfirmDialog
      open={item !== undefined}
      title={item === undefined ? '' : title(item)}
      action={action}
      busy={removing.isPending}
      onConfirm={() => item !== undefined && removing.mutate(item)}
      onClose={onClose}
    >
      {item !== undefined && children(item)}
    </ConfirmDialog>
  );
}
