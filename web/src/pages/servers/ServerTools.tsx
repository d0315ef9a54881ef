import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { Server } from '../../api/client.ts';
import { Badge } from '../../components/Badge.tsx';
import { DefinitionWarnings, isSuspicious } from '../../components/DefinitionWarnings.tsx';
import { ErrorNotice } from '../../components/ErrorNotice.tsx';
import { Spinner } from '../../components/Spinner.tsx';
import { safeText } from '../../components/safe-text.ts';
import { toolAddress } from '../tools/tool-address.ts';
import { LongList } from './LongList.tsx';
import { serverQueries } from './server-queries.ts';

/** The tools of a server, each with a link to its page. */
export function ServerTools({ server }: { readonly server: Server }) {
  const tools = useQuery(serverQueries.tools(server.name));
  if (tools.isError) return <ErrorNotice error={tools.error} onRetry={() => void tools.refetch()} />;
  if (!tools.data) return <Spinner label="Loading tools …" />;
  if (tools.data.length === 0) {
    const isConnected = server.status.state === 'connected' || server.status.state === 'degraded';
    return (
      <p className="text-ink-soft">
        {isConnected ? 'This server has no tools.' : 'The tools are listed once the server is connected.'}
      </p>
    );
  }
  return (
    <LongList label="Tools" items={tools.data} keyOf={({ name }) => name}>
      {({ name, title, originalName, description, changed, warnings }) => (
        <div className="py-2">
          <p className="flex flex-wrap items-center gap-2">
            <Link
              href={toolAddress(name)}
              className="font-medium break-all text-accent-strong underline-offset-2 hover:underline"
            >
              {safeText(title ?? originalName, 200)}
            </Link>
            <code className="text-xs break-all text-ink-faint">{safeText(name, 200)}</code>
            {changed !== undefined && <Badge tone="warn">Changed</Badge>}
            {isSuspicious(warnings) && <Badge tone="bad">Suspicious</Badge>}
          </p>
          <p className="line-clamp-2 break-words text-ink-soft">{safeText(description, 400)}</p>
          {warnings !== undefined && isSuspicious(warnings) && (
            <div className="mt-2">
              <DefinitionWarnings warnings={warnings} />
            </div>
          )}
        </div>
      )}
    </LongList>
  );
}
