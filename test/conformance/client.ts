/**
 * The program that the official conformance suite tests in place of us: it opens the suite's server with the library
 * and does there what the scenario is about. It ends with 0 only when everything went as it should.
 */
import assert from 'node:assert/strict';
import {
  createLoopbackCallback,
  createToolbox,
  type JsonObject,
  type Toolbox,
  ToolwharfError,
} from '../../src/index.ts';

type Script = (toolbox: Toolbox) => Promise<void>;

const server = 'subject';
const url = process.argv.at(-1) ?? '';
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? '';
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}') as {
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly toolCalls?: readonly { readonly name: string; readonly arguments: JsonObject }[];
};

const authentication = {
  type: 'oauth' as const,
  ...(scenario === 'auth/basic-cimd' && {
    clientMetadataUrl: 'https://conformance-test.local/client-metadata.json',
  }),
  ...(context.client_id !== undefined && { clientId: context.client_id }),
  ...(context.client_secret !== undefined && { clientSecret: context.client_secret }),
};

/** Where something else than a call of each tool without arguments is wanted. */
const scripts = new Map<string, Script>([
  ['initialize', connectOnly],
  ['request-metadata', connectOnly],
  ['tools_call', (toolbox) => succeed(toolbox, 'add_numbers', { a: 5, b: 3 })],
  ['http-standard-headers', useEverything],
  ['http-custom-headers', callAsTold],
  ['http-invalid-tool-headers', (toolbox) => callAll(toolbox, { region: 'us-west1' })],
  ['json-schema-ref-no-deref', checkArguments],
  ['json-schema-2020-12-preservation', echoSchema],
]);

/** Servers at which signing in must fail: they are not who they should be, or never satisfied. */
const refused = new Set([
  'auth/scope-retry-limit',
  'auth/resource-mismatch',
  'auth/iss-supported-missing',
  'auth/iss-wrong-issuer',
  'auth/iss-unexpected',
  'auth/iss-normalized',
  'auth/metadata-issuer-mismatch',
]);

if (refused.has(scenario)) {
  await assert.rejects(use(callAll), (cause) => reasonOf(cause) === 'OAUTH_FAILED');
} else {
  await use(scripts.get(scenario) ?? callAll);
}
console.log('done');

async function use(script: Script): Promise<void> {
  await using toolbox = await createToolbox(
    {
      toolbox: { naming: 'plain' },
      servers: {
        // Nothing says which era it is: that is the library's to find out.
        [server]: { url, required: true, retryAttempts: 1, ...(scenario.startsWith('auth/') && { authentication }) },
      },
    },
    {
      host: {
        // An empty form: the fields' defaults are the library's to fill in.
        elicit: async () => ({ action: 'accept', content: {} }),
        sample: async () => ({ role: 'assistant', content: { type: 'text', text: 'Hello' }, model: 'scripted' }),
        listRoots: async () => [],
      },
      oauth: {
        // The person who signs in: a browser that follows every redirect, and thus comes back by itself.
        callback: createLoopbackCallback({ open: async (address) => void (await fetch(address)) }),
      },
    },
  );
  const { state, reason, protocolVersion } = toolbox.servers.get(server)?.status ?? {};
  assert.equal(state, 'connected', reason);
  assert.equal(protocolVersion, process.env.MCP_CONFORMANCE_PROTOCOL_VERSION);
  await script(toolbox);
}

async function succeed(toolbox: Toolbox, tool: string, args: JsonObject): Promise<void> {
  const { isError, text } = await toolbox.call(tool, args);
  assert.equal(isError, false, `${tool}: ${text}`);
}

async function connectOnly(toolbox: Toolbox): Promise<void> {
  assert.deepEqual(toolbox.tools, []);
}

/** All at once, as a model may do. */
async function callAll(toolbox: Toolbox, args: JsonObject = {}): Promise<void> {
  assert.notEqual(toolbox.tools.length, 0, 'there are tools to call');
  await Promise.all(toolbox.tools.map((tool) => succeed(toolbox, tool.name, args)));
}

async function useEverything(toolbox: Toolbox): Promise<void> {
  await callAll(toolbox);
  for (const { item } of toolbox.resources.list(server)) await toolbox.resources.read(server, String(item.uri));
  for (const { item } of toolbox.prompts.list(server)) await toolbox.prompts.get(server, String(item.name));
}

async function callAsTold(toolbox: Toolbox): Promise<void> {
  assert.ok(context.toolCalls?.length, 'the suite says which calls to make');
  for (const call of context.toolCalls) {
    // One argument is null where its schema wants a boolean: that means it is left out, and the library insists on it.
    const given = Object.entries(call.arguments).filter(([, value]) => value !== null);
    await succeed(toolbox, call.name, Object.fromEntries(given));
  }
}

/** Has the arguments checked against a schema that points elsewhere; whether the tool may run is not the question. */
async function checkArguments(toolbox: Toolbox): Promise<void> {
  assert.ok(toolbox.tool('lookup_user'), 'the tool is offered');
  await toolbox.call('lookup_user', { id: 'someone', profile: {} });
}

async function echoSchema(toolbox: Toolbox): Promise<void> {
  const schema = toolbox.tool('json_schema_2020_12_tool')?.parameters;
  assert.ok(schema, 'the tool is offered');
  await succeed(toolbox, 'json_schema_echo', { schema });
}

/** The code of the error that all others were made of. */
function reasonOf(cause: unknown): string | undefined {
  if (!(cause instanceof ToolwharfError)) return undefined;
  return reasonOf(cause.cause) ?? cause.code;
}
