import { useQuery } from '@tanstack/react-query';
import { LogIn } from 'lucide-react';
import { queries } from '../../api/queries.ts';
import { Button } from '../../components/Button.tsx';
import { Notice } from '../../components/ErrorNotice.tsx';
import { safeText } from '../../components/safe-text.ts';
import { text } from '../../text/text.ts';

/** Whether local servers can be added in the app, and what to do if not. */
export function ProgramNotice({ onSignIn }: { readonly onSignIn: () => void }) {
  const session = useQuery(queries.session()).data;
  const config = useQuery(queries.config()).data;
  if (!session || !config) return null;
  if (session.mayAddPrograms) {
    return <p className="text-ink-soft">{text.servers.programNotice.gatewayRunsCommandMachine}</p>;
  }
  if (!config.gateway.allowPrograms) {
    return (
      <Notice tone="warn" title={text.servers.programNotice.addingLocalStdioServers}>
        <p>
          {text.servers.programNotice.howToAllow(
            <code>allowPrograms: true</code>,
            <code>gateway</code>,
            config.file === undefined ? (
              text.servers.programNotice.theConfiguration
            ) : (
              <code>{safeText(config.file, 300)}</code>
            ),
          )}
        </p>
      </Notice>
    );
  }
  return (
    <Notice
      tone="warn"
      title={text.servers.programNotice.signAdminTokenAdd}
      actions={
        <Button size="small" onClick={onSignIn}>
          <LogIn aria-hidden />
          {text.common.signIn}
        </Button>
      }
    >
      <p>
        {session.tokenFile === undefined
          ? text.servers.programNotice.needsAdministrator
          : text.servers.programNotice.needsToken(<code>{safeText(session.tokenFile, 300)}</code>)}
      </p>
    </Notice>
  );
}
