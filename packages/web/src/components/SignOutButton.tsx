import { LogOut } from 'lucide-react';
import { api } from '../api/client.ts';
import { Button, type ButtonProps } from './Button.tsx';
import { useAction } from './use-action.ts';

interface Props extends Pick<ButtonProps, 'look'> {
  /** The gateway also ends the session at the identity provider, which shows a page for that. */
  readonly atProvider: boolean;
  readonly isIcon?: boolean;
}

export function SignOutButton({ atProvider, isIcon, look }: Props) {
  const signingOut = useAction({
    run: async () => (atProvider ? location.assign('/api/sign-out') : api.closeSession()),
    onSuccess: () => atProvider || reloadApp(),
  });
  return (
    <Button
      size="small"
      look={look}
      busy={signingOut.isPending}
      aria-label={isIcon ? 'Sign out' : undefined}
      title={isIcon ? 'Sign out' : undefined}
      onClick={() => signingOut.mutate()}
      icon={LogOut}
    >
      {!isIcon && 'Sign out'}
    </Button>
  );
}

/** Drops everything that the previous session loaded. */
export function reloadApp(): void {
  location.reload();
}
