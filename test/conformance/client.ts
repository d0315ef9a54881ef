/** The client that the official conformance suite tests: connects to a server of the suite with the library and performs a scenario. */
import assert from 'node:assert/strict';
import type { OAuthAuthentication } from '../../packages/contract/settings/oauth-config.ts';
import {
  createLoopbackCallback,
  createToolbox,
  type JsonObject,
  type Toolbox,
  ToolwharfError,
} from '../../packages/toolwharf/index.ts';

/** What the suite tells the program that it starts for a scenario. */
export interface Scenario {
  readonly name: string;
  readonly url: string;
  readonly protocolVersion: string;
  readonly context: {
    readonly client_id?: string;
    readonly client_secret?: string;
    readonly private_key_pem?: string;
    readonly signing_algorithm?: 'ES256';
    readonly idp_client_id?: string;
    readonly idp_id_token?: string;
    readonly idp_issuer?: string;
    readonly idp_token_endpoint?: string;
    readonly valid_jwt?: string;
    readonly toolCalls?: readonly { readonly name: string; readonly arguments: JsonObject }[];
  };
}

type Script = (toolbox: Toolbox, scenario: Scenario) => Promise<void>;

const server = 'subject';

/** The scenarios that need something else than one call of each tool without arguments. */
const scripts = new Map<string, Script>([
  ['initialize', connectOnly],
  ['request-metadata', connectOnly],
  ['tools_call', (toolbox) => succeed(toolbox, 'add_numbers', { a: 5, b: 3 })],
  ['http-standard-headers', useEverything],
  ['http-custom-headers', callRequestedTools],
  ['http-invalid-tool-headers', (toolbox) => callAll(toolbox, { region: 'us-west1' })],
  ['json-schema-ref-no-deref', checkArguments],
  ['json-schema-2020-12-preservation', echoSchema],
]);

/** Scenarios with a server that must not be signed in to: it is not trustworthy or never satisfied. */
const refused = new Set([
  'auth/scope-retry-limit',
  'auth/resource-mismatch',
  'auth/iss-supported-missing',
  'auth/iss-wrong-issuer',
  'auth/iss-unexpected',
  'auth/iss-normalized',
  'auth/metadata-issuer-mismatch',
]);

/** Rejects unless everything succeeds. */
export async function performScenario(scenario: Scenario): Promise<void> {
  const callEverything: Script = (toolbox) => callAll(toolbox);
  if (!refused.has(scenario.name)) await use(scenario, scripts.get(scenario.name) ?? callEverything);
  else await assert.rejects(use(scenario, callEverything), (cause) => reasonOf(cause) === 'OAUTH_FAILED');
}

function authenticationOf({ name, context }: Scenario) {
  return {
    type: 'oauth' as const,
    ...(name === 'auth/basic-cimd' && { clientMetadataUrl: 'https://conformance-test.local/client-metadata.json' }),
    ...(context.client_id !== undefined && { clientId: context.client_id }),
    ...(context.client_secret !== undefined && { clientSecret: context.client_secret }),
    ...grants.get(name)?.(context),
  };
}

/** Sign-ins of programs, without a person. */
const grants = new Map<string, (context: Scenario['context']) => Partial<OAuthAuthentication>>([
  [
    'auth/client-credentials-jwt',
    ({ private_key_pem: privateKey, signing_algorithm: algorithm }) => ({
      grant: 'client-credentials',
      privateKey,
      algorithm,
    }),
  ],
  ['auth/client-credentials-basic', () => ({ grant: 'client-credentials' })],
  ['auth/wif-jwt-bearer', ({ valid_jwt: assertion }) => ({ grant: 'jwt-bearer', assertion })],
  [
    'auth/enterprise-managed-authorization',
    ({
      idp_issuer: identityProvider,
      // The suite's identity provider publishes metadata that OpenID Connect does not allow.
      idp_token_endpoint: identityProviderTokenUrl,
      idp_client_id: identityProviderClientId,
      idp_id_token: idToken,
    }) => ({
      grant: 'enterprise',
      identityProvider,
      identityProviderTokenUrl,
      identityProviderClientId,
      idToken,
    }),
  ],
]);

async function use(scenario: Scenario, script: Script): Promise<void> {
  const { name, url } = scenario;
  const authentication = name.startsWith('auth/') ? authenticationOf(scenario) : undefined;
  await using toolbox = await createToolbox(
    {
      toolbox: { naming: 'plain' },
      servers: {
        // The era is not configured: the library must detect it.
        [server]: { url, required: true, retryAttempts: 1, ...(authentication && { authentication }) },
      },
    },
    {
      host: {
        // An empty form: the library must add the defaults of the fields.
        elicit: async () => ({ action: 'accept', content: {} }),
        sample: async () => ({ role: 'assistant', content: { type: 'text', text: 'Hello' }, model: 'scripted' }),
        listRoots: async () => [],
      },
      oauth: {
        // The person who signs in: a browser that follows every redirect back to the callback.
        callback: createLoopbackCallback({ open: async (address) => void (await fetch(address)) }),
      },
    },
  );
  const { state, reason, protocolVersion } = toolbox.servers.get(server)?.status ?? {};
  assert.equal(state, 'connected', reason);
  assert.equal(protocolVersion, scenario.protocolVersion);
  await script(toolbox, scenario);
}

async function succeed(toolbox: Toolbox, tool: string, args: JsonObject): Promise<void> {
  const { isError, text } = await toolbox.call(tool, args);
  assert.equal(isError, false, `${tool}: ${text}`);
}

async function connectOnly(toolbox: Toolbox): Promise<void> {
  assert.deepEqual(toolbox.tools, []);
}

/** All calls concurrently, as a model may make them. */
async function callAll(toolbox: Toolbox, args: JsonObject = {}): Promise<void> {
  assert.notEqual(toolbox.tools.length, 0, 'there are tools to call');
  await Promise.all(toolbox.tools.map((tool) => succeed(toolbox, tool.name, args)));
}

async function useEverything(toolbox: Toolbox): Promise<void> {
  await callAll(toolbox);
  for (const { item } of toolbox.resources.list(server)) await toolbox.resources.read(server, String(item.uri));
  for (const { item } of toolbox.prompts.list(server)) await toolbox.prompts.get(server, String(item.name));
}

async function callRequestedTools(toolbox: Toolbox, { context }: Scenario): Promise<void> {
  assert.ok(context.toolCalls?.length, 'the suite says which calls to make');
  for (const call of context.toolCalls) {
    // Null stands for an omitted argument; the library rejects null where the schema requires a boolean.
    const given = Object.entries(call.arguments).filter(([, value]) => value !== null);
    await succeed(toolbox, call.name, Object.fromEntries(given));
  }
}

/** Validates arguments with a schema that refers to another document; the outcome of the call does not matter. */
async function checkArguments(toolbox: Toolbox): Promise<void> {
  assert.ok(toolbox.tool('lookup_user'), 'the tool is offered');
  await toolbox.call('lookup_user', { id: 'someone', profile: {} });
}

async function echoSchema(toolbox: Toolbox): Promise<void> {
  const schema = toolbox.tool('json_schema_2020_12_tool')?.parameters;
  assert.ok(schema, 'the tool is offered');
  await succeed(toolbox, 'json_schema_echo', { schema });
}

/** The code of the deepest cause. */
function reasonOf(cause: unknown): string | undefined {
  if (!(cause instanceof ToolwharfError)) return undefined;
  return reasonOf(cause.cause) ?? cause.code;
}
