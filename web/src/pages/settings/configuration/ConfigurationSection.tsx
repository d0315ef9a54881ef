import { useQuery } from '@tanstack/react-query';
import type { Config } from '../../../api/client.ts';
import { queries } from '../../../api/queries.ts';
import { Card, CardHeader } from '../../../components/Card.tsx';
import { CopyButton } from '../../../components/CopyButton.tsx';
import { ErrorNotice, Notice } from '../../../components/ErrorNotice.tsx';
import { JsonView } from '../../../components/JsonView.tsx';
import { pluralize } from '../../../components/pluralize.ts';
import { Spinner } from '../../../components/Spinner.tsx';
import { safeText } from '../../../components/safe-text.ts';
import { TimeAgo } from '../../../components/times.tsx';
import { Facts, Patterns } from '../Facts.tsx';
import { gatewayFacts, toolboxFacts } from './config-facts.tsx';

const dialects: Readonly<Record<Config['dialect'], string>> = {
  native: 'Toolwharf',
  squidbot: 'squidbot (mcp_servers)',
  myai: 'myai.toolbox',
  bridge: 'Bridge',
  client: 'MCP client (mcpServers)',
};

/** The configuration in use, with its file, errors and warnings. */
export function ConfigurationSection() {
  const config = useQuery(queries.config());
  if (config.isError) return <ErrorNotice error={config.error} onRetry={() => void config.refetch()} />;
  if (!config.data) return <Spinner label="Loading configuration …" />;
  const { file, dialect, refused, warnings, servers, toolbox, gateway } = config.data;
  return (
    <div className="flex flex-col gap-4">
      {refused && <RejectedFile refused={refused} />}
      {warnings.length > 0 && (
        <Notice tone="warn" title={pluralize(warnings.length, 'warning')}>
          <ul className="list-disc pl-4">
            {warnings.slice(0, 50).map((warning) => (
              <li key={warning}>{safeText(warning, 1_000)}</li>
            ))}
          </ul>
        </Notice>
      )}
      <Card>
        <CardHeader
          title="File"
          hint="Reloaded whenever it is saved. Servers added in this app are stored in the database instead."
        />
        <Facts
          facts={[
            [
              'File',
              file === undefined ? (
                'None'
              ) : (
                <span key="file" className="flex items-center gap-1">
                  <code className="text-xs break-all">{safeText(file, 500)}</code>
                  <CopyButton text={file} what="path" />
                </span>
              ),
            ],
            ['Format', dialects[dialect]],
            ['Servers', <Patterns key="servers" patterns={servers} none="None" />],
          ]}
        />
      </Card>
      <Card>
        <CardHeader title="Tools and calls" />
        <Facts facts={toolboxFacts(toolbox)} />
      </Card>
      <Card>
        <CardHeader title="Gateway" />
        <Facts facts={gatewayFacts(gateway)} />
      </Card>
      <Card>
        <CardHeader title="JSON" hint="Secrets are masked." />
        <div className="p-4">
          <JsonView value={config.data} what="configuration" />
        </div>
      </Card>
    </div>
  );
}

function RejectedFile({ refused: { at, message } }: { readonly refused: NonNullable<Config['refused']> }) {
  return (
    <Notice tone="bad" title="The configuration file has errors">
      <p>
        The gateway rejected the file <TimeAgo at={at} /> and keeps the previous configuration, which is shown here.
        Correct the file and save it.
      </p>
      <pre className="mt-2 max-h-64 overflow-auto rounded border border-line bg-surface p-2 font-mono text-xs whitespace-pre-wrap">
        {safeText(message, 5_000)}
      </pre>
    </Notice>
  );
}
