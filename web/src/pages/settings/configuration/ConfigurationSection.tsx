import { useQuery } from '@tanstack/react-query';
import type { Config } from '../../../api/client.ts';
import { queries } from '../../../api/queries.ts';
import { Card, CardHeader } from '../../../components/Card.tsx';
import { CopyButton } from '../../../components/CopyButton.tsx';
import { ErrorNotice, Notice } from '../../../components/ErrorNotice.tsx';
import { JsonView } from '../../../components/JsonView.tsx';
import { Spinner } from '../../../components/Spinner.tsx';
import { safeText } from '../../../components/safe-text.ts';
import { TimeAgo } from '../../../components/times.tsx';
import { Facts } from '../Facts.tsx';
import { Patterns } from '../Patterns.tsx';
import { dialects } from '../words.ts';
import { gatewayFacts, toolboxFacts } from './config-facts.tsx';

/** The configuration in use: where it comes from, what is odd about it, and what it comes to. */
export function ConfigurationSection() {
  const config = useQuery(queries.config());
  if (config.isError) return <ErrorNotice error={config.error} onRetry={() => void config.refetch()} />;
  if (!config.data) return <Spinner label="Loading the configuration …" />;
  const { file, dialect, refused, warnings, servers, toolbox, gateway } = config.data;
  return (
    <div className="flex flex-col gap-4">
      {refused && <Refused refused={refused} />}
      {warnings.length > 0 && (
        <Notice tone="warn" title={warnings.length === 1 ? 'One warning' : `${warnings.length} warnings`}>
          <ul className="list-disc pl-4">
            {warnings.slice(0, 50).map((warning) => (
              <li key={warning}>{safeText(warning, 1_000)}</li>
            ))}
          </ul>
        </Notice>
      )}
      <Card>
        <CardHeader title="File" hint="Read again whenever it is saved. What is added in this app is kept elsewhere." />
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
            ['Written as', dialects[dialect]],
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
        <CardHeader title="As JSON" hint="Without its secrets." />
        <div className="p-4">
          <JsonView value={config.data} what="configuration" />
        </div>
      </Card>
    </div>
  );
}

function Refused({ refused: { at, message } }: { readonly refused: NonNullable<Config['refused']> }) {
  return (
    <Notice tone="bad" title="The configuration file can't be used as it is">
      <p>
        It was refused <TimeAgo at={at} />. The gateway goes on with the one before, which is what you see here, and
        takes the file as soon as it is right.
      </p>
      <pre className="mt-2 max-h-64 overflow-auto rounded border border-line bg-surface p-2 font-mono text-xs whitespace-pre-wrap">
        {safeText(message, 5_000)}
      </pre>
    </Notice>
  );
}
