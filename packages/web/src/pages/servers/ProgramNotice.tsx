import { useQuery } from '@tanstack/react-query';
import { LogIn } from 'lucide-react';
import { queries } from '../../api/queries.ts';
import { Button } from '../../components/Button.tsx';
import { Notice } from '../../components/ErrorNotice.tsx';
import { safeText } from '../../components/safe-text.ts';

/** Whether local servers can be added in the app, and what to do if not. */
export function ProgramNotice({ onSignIn }: { readonly onSignIn: () => void }) {
  const session = useQuery(queries.session()).data;
  const config = useQuery(queries.config()).data;
  if (!session || !config) return null;
  if (session.mayAddPrograms) {
    return <p className="text-ink-soft">The gateway runs the command on its machine with its own permissions.</p>;
  }
  if (!config.gateway.allowPrograms) {
    return (
      <Notice tone="warn" title="Adding local (stdio) servers is disabled">
        <p>
          Local servers run on the machine of the gateway with its permissions. To allow them, set{' '}
          <code>allowPrograms: true</code> under <code>gateway</code> in{' '}
          {config.file === undefined ? 'the configuration' : <code>{safeText(config.file, 300)}</code>}. Servers in that
          file always run.
        </p>
      </Notice>
    );
  }
  return (
    <Notice
      tone="warn"
      title="Sign in with the admin token to add a local server"
      actions={
        <Button size="small" onClick={onSignIn} icon={LogIn}>
          Sign in
        </Button>
      }
    >
      <p>
        {session.tokenFile === undefined ? (
          'Local servers run on the machine of the gateway with its permissions. Adding one needs the admin token or the key of an administrator.'
        ) : (
          <>
            Local servers run on the machine of the gateway with its permissions. Adding one needs the admin token or
            the key of an administrator. The token is in <code>{safeText(session.tokenFile, 300)}</code>
          </>
        )}
      </p>
    </Notice>
  );
}
