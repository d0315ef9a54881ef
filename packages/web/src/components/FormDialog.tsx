import { type ReactNode, useId } from 'react';
import { Button } from './Button.tsx';
import { Dialog, type DialogProps } from './Dialog.tsx';
import { Form } from './fields.tsx';

export interface FormDialogProps extends Pick<DialogProps, 'title' | 'description' | 'onClose' | 'children'> {
  /** The verb on the button that submits. Default: "Save". */
  readonly action?: string;
  readonly busy: boolean;
  readonly disabled?: boolean;
  /** Other buttons, on the left. */
  readonly aside?: ReactNode;
  readonly onSubmit: () => void;
}

/** A form in a dialog, with buttons to cancel and to submit. */
export function FormDialog(props: FormDialogProps) {
  const { action = 'Save', busy, disabled, aside, onSubmit, children, ...dialog } = props;
  const id = useId();
  return (
    <Dialog
      open
      {...dialog}
      footer={
        <>
          {aside}
          <Button onClick={dialog.onClose}>Cancel</Button>
          <Button type="submit" form={id} look="primary" busy={busy} disabled={disabled}>
            {action}
          </Button>
        </>
      }
    >
      <Form id={id} className="flex flex-col gap-4" onSubmit={onSubmit}>
        {children}
      </Form>
    </Dialog>
  );
}
