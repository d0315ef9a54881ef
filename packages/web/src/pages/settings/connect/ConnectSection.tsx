import { useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'wouter';
import { queries } from '../../../api/queries.ts';
import { ButtonLink, GatewayButtonLink } from '../../../components/Button.tsx';
import { Card, CardHeader } from '../../../components/Card.tsx';
import { CodeBlock } from '../../../components/CodeBlock.tsx';
import { ErrorNotice, Notice } from '../../../components/ErrorNotice.tsx';
import { SelectField } from '../../../components/fields.tsx';
import { Spinner } from '../../../components/Spinner.tsx';
import { safeText } from '../../../components/safe-text.ts';

/** The configuration snippets that connect MCP clients and programs to this gateway. */
export function ConnectSection() {
  const [search, setSearch] = useSearchParams();
  const profiles = useQuery(queries.profiles());
  const session = useQuery(queries.session()).data;
  const names = profiles.data?.map(({ name }) => name) ?? [];
  const requested = search.get('profile') ?? 'default';
  const profile = names.includes(requested) ? requested : (names[0] ?? 'default');
  const clients = useQuery({ ...queries.clients(profile), enabled: names.length > 0 });
  const failed = profiles.error ?? clients.error;
  const needsKey = clients.data?.authentication === 'key';
  const path = profiles.data?.find(({ name }) => name === profile)?.path ?? '/mcp';
  return (
    <div className="flex flex-col gap-4">
      <SelectField
        label="Profile"
        className="w-64"
        hint="The servers and tools that the client gets."
        options={names.map((name) => [name, safeText(name, 100)] as const)}
        value={profile}
        onChange={(name) => setSearch({ profile: name }, { replace: true })}
      />
      {clients.data && (
        <Endpoint {...clients.data} mayCreateKeys={session?.permissions.includes('keys.own') ?? false} />
      )}
      {failed && <ErrorNotice error={failed} onRetry={() => void clients.refetch()} />}
      {!failed && !clients.data && <Spinner label="Loading clients …" />}
      <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-2">
        {clients.data?.clients.map(({ id, name, file, snippet, language, installLink }) => (
          <Card key={id} className="min-w-0">
            <CardHeader
              title={safeText(name, 100)}
              actions={
                installLink === undefined ? undefined : (
                  <GatewayButtonLink size="small" href={installLink}>
                    Add to {safeText(name, 100)}
                  </GatewayButtonLink>
                )
              }
              hint={file === undefined ? undefined : <code className="break-all">{safeText(file, 500)}</code>}
            />
            <div className="p-4">
              <CodeBlock code={snippet} language={language} what={`snippet for ${safeText(name, 100)}`} wraps={false} />
            </div>
          </Card>
        ))}
        <ProgramExamples path={path} needsKey={needsKey} />
      </div>
    </div>
  );
}

interface EndpointProps {
  readonly url: string;
  readonly authentication: 'none' | 'sign-in' | 'key';
  readonly mayCreateKeys: boolean;
}

/** The address that every client takes, and how clients authenticate there. */
function Endpoint({ url, authentication, mayCreateKeys }: EndpointProps) {
  const createKey = mayCreateKeys && (
    <ButtonLink size="small" href="/settings/keys">
      Create a key
    </ButtonLink>
  );
  return (
    <Card>
      <CardHeader
        title="MCP endpoint"
        hint={
          authentication === 'sign-in'
            ? 'Clients with OAuth need only this URL: they open the browser, and you sign in.'
            : 'The URL for every client that speaks MCP over HTTP.'
        }
      />
      <div className="flex flex-col gap-3 p-4">
        <CodeBlock code={url} what="URL of the MCP endpoint" wraps={false} />
        {authentication === 'key' && (
          <Notice title="Replace KEY with an API key" actions={createKey}>
            Create a key for this client alone, so that you can revoke it alone.
          </Notice>
        )}
        {authentication === 'sign-in' && (
          <Notice title="A client without OAuth needs an API key" actions={createKey}>
            It sends the key in the header “Authorization: Bearer KEY”. Programs that start a command read it from the
            variable TOOLWHARF_API_KEY.
          </Notice>
        )}
      </div>
    </Card>
  );
}

/** Examples for programs, with the origin of this page. */
function ProgramExamples({ path, needsKey }: Pick<ExampleParts, 'path' | 'needsKey'>) {
  const parts = { origin: location.origin, path, needsKey };
  return (
    <>
      <Card className="min-w-0">
        <CardHeader title="MCP SDK" hint="Example with the official TypeScript SDK. Any MCP SDK works." />
        <div className="p-4">
          <CodeBlock code={sdkExample(parts)} language="typescript" what="SDK example" wraps={false} />
        </div>
      </Card>
      <Card className="min-w-0">
        <CardHeader
          title="REST API"
          hint={
            <>
              OpenAPI document:{' '}
              <a href="/api/openapi.json" target="_blank" rel="noreferrer" className="underline underline-offset-2">
                /api/openapi.json
              </a>
            </>
          }
        />
        <div className="p-4">
          <CodeBlock code={curlExample(parts)} language="shell" what="curl example" wraps={false} />
        </div>
      </Card>
    </>
  );
}

interface ExampleParts {
  /** The origin of the gateway. */
  readonly origin: string;
  /** The path of the profile's MCP endpoint. */
  readonly path: string;
  readonly needsKey: boolean;
}

/** A TypeScript program that lists the tools over MCP. */
function sdkExample({ origin, path, needsKey }: ExampleParts): string {
  const url = `new URL('${origin}${path.replaceAll("'", '%27')}')`;
  const headers = '{ authorization: `Bearer ${process.env.TOOLWHARF_API_KEY}` }';
  const transport = needsKey
    ? `new StreamableHTTPClientTransport(${url}, {
  requestInit: { headers: ${headers} },
})`
    : `new StreamableHTTPClientTransport(${url})`;
  return `import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const client = new Client({ name: 'my-program', version: '1.0.0' });
const transport = ${transport};
await client.connect(transport);
const { tools } = await client.listTools();
console.log(tools.map((tool) => tool.name));
await client.close();
`;
}

/** curl commands that list and call tools. */
function curlExample({ origin, needsKey }: ExampleParts): string {
  const key = needsKey ? ' \\\n  -H "authorization: Bearer KEY"' : '';
  return `# List the tools.
curl ${origin}/api/tools${key}

# Call a tool. If the call needs approval, the request waits for it.
curl ${origin}/api/tools/TOOL/call${key} \\
  -H "content-type: application/json" \\
  -d '{"arguments": {}}'
`;
}
