export interface ExampleParts {
  /** The origin of the gateway. */
  readonly origin: string;
  /** The path of the profile's MCP endpoint. */
  readonly path: string;
  readonly needsKey: boolean;
}

/** A TypeScript program that lists the tools over MCP. */
export function sdkExample({ origin, path, needsKey }: ExampleParts): string {
  const url = `new URL('${origin}${path.replaceAll("'", '%27')}')`;
  const headers = '{ authorization: `Bearer ${process.env.TOOLWHARF_KEY}` }';
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
export function curlExample({ origin, needsKey }: ExampleParts): string {
  const key = needsKey ? ' \\\n  -H "authorization: Bearer KEY"' : '';
  return `# List the tools.
curl ${origin}/api/tools${key}

# Call a tool. If the call needs approval, the request waits for it.
curl ${origin}/api/tools/TOOL/call${key} \\
  -H "content-type: application/json" \\
  -d '{"arguments": {}}'
`;
}
