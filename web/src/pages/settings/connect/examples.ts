export interface ExampleParts {
  /** Where the gateway is. */
  readonly origin: string;
  /** Where the profile's MCP endpoint is. */
  readonly path: string;
  readonly needsKey: boolean;
}

/** A program in TypeScript that lists the tools over MCP. */
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

/** Listing and calling tools without any SDK. */
export function curlExample({ origin, needsKey }: ExampleParts): string {
  const key = needsKey ? ' \\\n  -H "authorization: Bearer KEY"' : '';
  return `# What tools are there?
curl ${origin}/api/tools${key}

# Call one. If a person is asked first, it waits for the answer.
curl ${origin}/api/tools/TOOL/call${key} \\
  -H "content-type: application/json" \\
  -d '{"arguments": {}}'
`;
}
