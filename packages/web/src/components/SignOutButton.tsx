import { useMutation } from '@tanstack/react-query';
import { LogOut } from 'lucide-react';
import { api } from '../api/client.ts';
import { Button, type ButtonProps } from './Button.tsx';
import { useToast } from './Toasts.tsx';

export const roleTexts = { admin: 'Administrator', approver: 'Approver', member: 'Member' };

interface Props extends Pick<ButtonProps, 'look'> {
  /** The gateway also ends the session at the identity provider, which shows a page for that. */
  readonly atProvider: boolean;
  readonly isIcon?: boolean;
}

export function SignOutButton({ atProvider, isIcon, look }: Props) {
  const toast = useToast();
  const signingOut = useMutation({
    mutationFn: async () => (atProvider ? location.assign('/api/sign-out') : api.closeSession()),
    onSuccess: () => atProvider || reloadApp(),
    onError: toast.error,
  });
  return (
    <Button
      size="small"
      look={look}
      busy={signingOut.isPending}
      aria-label={isIcon ? 'Sign out' : undefined}
      title={isIcon ? 'Sign out' : undefined}
      onClick={() => signingOut.mutate()}
    >
      <LogOut aria-hidden />
      {!isIcon && 'Sign out'}
    </Button>
  );
}

/** Drops everything that the previous session loaded. */
export function reloadApp(): void {
  location.reload();
}
