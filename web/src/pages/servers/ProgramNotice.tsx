import { useQuery } from '@tanstack/react-query';
import { LogIn } from 'lucide-react';
import { queries } from '../../api/queries.ts';
import { Button } from '../../components/Button.tsx';
import { Notice } from '../../components/ErrorNotice.tsx';
import { safeText } from '../../components/safe-text.ts';

/** Why a program can or can't be added here, and what to do about it. It is always the gateway that starts it. */
export function ProgramNotice({ onSignIn }: { readonly onSignIn: () => void }) {
  const session = useQuery(queries.session()).data;
  const config = useQuery(queries.config()).data;
  if (!session || !config) return null;
  if (session.mayAddPrograms) {
    return (
      <p className="text-ink-soft">
        The gateway starts the program on its own machine, with its own rights. Your browser starts nothing.
      </p>
    );
  }
  if (!config.gateway.allowPrograms) {
    return (
      <Notice tone="warn" title="This gateway starts no programs that are added here">
        <p>
          Programs run on the gateway's machine with its rights, so its operator has to allow it: set{' '}
          <code>allowPrograms: true</code> under <code>gateway</code> in{' '}
          {config.file === undefined ? 'the configuration' : <code>{safeText(config.file, 300)}</code>}. Servers that
          are in that file are started in any case.
        </p>
      </Notice>
    );
  }
  return (
    <Notice
      tone="warn"
      title="To add a program, sign in with the admin token"
      actions={
        <Button size="small" onClick={onSignIn}>
          <LogIn aria-hidden />
          Sign in
        </Button>
      }
    >
      <p>
        Programs run on the gateway's machine with its rights. Being on that machine is not proof enough: the gateway
        wants the admin token or the key of an administrator
        {session.tokenFile === undefined ? '.' : '. The token is in '}
        {session.tokenFile !== undefined && <code>{safeText(session.tokenFile, 300)}</code>}
      </p>
    </Notice>
  );
}
