import type { ImportedServer, ServerInput, ServerRecord } from '../../api/client.ts';
import { type EndpointDraft, hasArgumentProblems, toEndpoint, toEndpointDraft } from './endpoints/endpoint-draft.ts';
import { nextId } from './form-lines.ts';

/** A typed secret, or a mark for the stored one. */
export type Secret = string | { readonly set: true };

/** A line in a list of arguments, variables or headers. */
export interface Line {
  readonly id: number;
  readonly name: string;
  readonly value: Secret;
  /** Whether the gateway has a stored value. */
  readonly isStored: boolean;
}

export interface AuthenticationDraft {
  readonly type: NonNullable<ServerInput['authentication']>['type'];
  readonly token: Secret;
  readonly key: Secret;
  readonly header: string;
  readonly username: string;
  readonly password: Secret;
  readonly clientId: string;
  readonly clientSecret: Secret;
  readonly scope: string;
  readonly redirectUrl: string;
  readonly clientMetadataUrl: string;
  readonly grant: OAuthGrant;
  readonly privateKey: Secret;
  readonly issuer: string;
  /** Keys of the other grants, which the form does not show. Saving keeps them. */
  readonly otherGrantKeys: Readonly<Record<string, Secret>>;
}

export type OAuthGrant = NonNullable<Extract<ServerInput['authentication'], { type: 'oauth' }>['grant']>;

/** The values of the form, for all transports: switching the transport loses nothing. */
export interface ServerDraft {
  readonly name: string;
  /** Whether the person chose the name. */
  readonly isNamed: boolean;
  readonly description: string;
  readonly transport: NonNullable<ServerInput['transport']>;
  readonly command: string;
  readonly args: readonly Line[];
  readonly env: readonly Line[];
  readonly cwd: string;
  readonly url: string;
  readonly headers: readonly Line[];
  readonly allowInsecure: boolean;
  readonly authentication: AuthenticationDraft;
  readonly openapi: string;
  readonly endpoints: readonly EndpointDraft[];
  readonly timeout: string;
  readonly retryAttempts: string;
  readonly isolation: NonNullable<ServerInput['isolation']>;
  readonly credentials: NonNullable<ServerInput['credentials']>;
  readonly placement: NonNullable<ServerInput['placement']>;
  readonly validation: NonNullable<ServerInput['validation']>;
  readonly maxTimeout: string;
  /** One per line. */
  readonly roots: string;
  readonly enabled: boolean;
  /** Settings that the form does not show. Saving keeps them. */
  readonly others: Partial<ServerInput>;
}

const defaults = { isolation: 'shared', credentials: 'shared', placement: 'everywhere', validation: 'strict' } as const;

/** A new line with its own id. */
export function newLine(name = '', value: Secret = ''): Line {
  return { id: nextId(), name, value, isStored: typeof value !== 'string' };
}

/** The form values of a server, or of a new one. */
export function toDraft(server?: ServerRecord | ServerInput | ImportedServer): ServerDraft {
  const { authentication = { type: 'none' } } = server ?? {};
  return {
    name: server?.name ?? '',
    isNamed: server !== undefined,
    description: server?.description ?? '',
    transport: server?.transport ?? 'auto',
    command: server?.command ?? '',
    args: (server?.args ?? []).map((value) => newLine('', value)),
    env: toLines(server?.env),
    cwd: server?.cwd ?? '',
    url: server?.url ?? '',
    headers: toLines(server?.headers),
    allowInsecure: server?.allowInsecure ?? false,
    authentication: { ...noAuthentication, ...authentication, otherGrantKeys: pickGrantKeys(authentication) },
    openapi: server?.openapi ?? '',
    endpoints: (server?.endpoints ?? []).map(toEndpointDraft),
    timeout: String(server?.timeout ?? 30_000),
    retryAttempts: String(server?.retryAttempts ?? 3),
    isolation: server?.isolation ?? defaults.isolation,
    credentials: server?.credentials ?? defaults.credentials,
    placement: server?.placement ?? defaults.placement,
    validation: server?.validation ?? defaults.validation,
    maxTimeout: server?.maxTimeout === undefined ? '' : String(server.maxTimeout),
    roots: (server?.roots ?? []).join('\n'),
    enabled: server?.enabled ?? true,
    others: pickOthers(server),
  };
}

const otherKeys = [
  ...(['required', 'trusted', 'protocol', 'mode', 'defaultToolConfig', 'allow', 'deny', 'onChange'] as const),
  ...(['rate', 'prompts', 'inheritEnv', 'maxAccountConnections'] as const),
];

function pickOthers(server: ServerRecord | ServerInput | ImportedServer | undefined): Partial<ServerInput> {
  const kept = otherKeys.flatMap((key) => (server?.[key] === undefined ? [] : [[key, server[key]] as const]));
  return Object.fromEntries(kept);
}

/** The body of the request: the values of the selected transport. The gateway validates it. */
export function toInput(draft: ServerDraft): ServerInput {
  const { name, description, transport, timeout, retryAttempts, enabled } = draft;
  const { isolation, credentials, validation, maxTimeout, others } = draft;
  const roots = draft.roots.split('\n').flatMap((line) => line.trim() || []);
  const common = {
    ...others,
    name: name.trim(),
    ...omitEmpty({ description: description.trim() }),
    transport,
    ...(timeout !== '' && { timeout: Number(timeout) }),
    ...(retryAttempts !== '' && { retryAttempts: Number(retryAttempts) }),
    ...(isolation !== defaults.isolation && { isolation }),
    ...(credentials !== defaults.credentials && { credentials }),
    ...(validation !== defaults.validation && { validation }),
    ...(maxTimeout !== '' && { maxTimeout: Number(maxTimeout) }),
    ...(roots.length > 0 && { roots }),
    enabled,
  };
  if (transport === 'stdio') {
    const { command, args, env, cwd, placement } = draft;
    const texts = { command: command.trim(), cwd: cwd.trim() };
    const program = { ...omitEmpty(texts), args: args.map(({ value }) => value), env: toRecord(env) };
    return { ...common, ...program, ...(placement !== defaults.placement && { placement }) };
  }
  const { url, headers, allowInsecure } = draft;
  const { inheritEnv: _ofPrograms, ...settings } = common;
  return {
    ...settings,
    ...omitEmpty({ url: url.trim() }),
    headers: toRecord(headers),
    allowInsecure,
    authentication: toAuthentication({ ...draft.authentication, type: authenticationType(draft) }),
    ...(transport === 'api' && describeApi(draft)),
  };
}

/** The authentication in use. An HTTP API does not support OAuth. */
export function authenticationType({ transport, authentication }: ServerDraft): AuthenticationDraft['type'] {
  return transport === 'api' && authentication.type === 'oauth' ? 'none' : authentication.type;
}

/** Whether saving disconnects people: accounts and sign-ins belong to the name and host of the stored server. */
export function endsSignIns(stored: ServerDraft, draft: ServerDraft): boolean {
  const hasSignIns = stored.credentials === 'per-user' || authenticationType(stored) === 'oauth';
  return hasSignIns && (draft.name.trim() !== stored.name || originOf(draft) !== originOf(stored));
}

function originOf({ transport, url, openapi }: ServerDraft): string {
  if (transport === 'stdio') return '';
  const address = url.trim() || openapi.trim();
  return URL.canParse(address) ? new URL(address).origin : address;
}

/** Whether the draft has problems that the form marks. */
export function hasProblems({ transport, env, headers, endpoints }: ServerDraft): boolean {
  if (findDuplicates(transport === 'stdio' ? env : headers).size > 0) return true;
  return transport === 'api' && (findDuplicates(endpoints).size > 0 || endpoints.some(hasArgumentProblems));
}

/** The names that occur more than once. */
export function findDuplicates(lines: readonly { readonly name: string }[]): ReadonlySet<string> {
  const seen = new Set<string>();
  const duplicates = lines.filter(({ name }) => name !== '' && (seen.has(name) || !seen.add(name)));
  return new Set(duplicates.map(({ name }) => name));
}

const noAuthentication: AuthenticationDraft = {
  type: 'none',
  token: '',
  key: '',
  header: 'x-api-key',
  username: '',
  password: '',
  clientId: '',
  clientSecret: '',
  scope: '',
  redirectUrl: '',
  clientMetadataUrl: '',
  grant: 'authorization-code',
  privateKey: '',
  issuer: '',
  otherGrantKeys: {},
};

const otherGrantKeys = [
  ...['algorithm', 'assertion', 'identityProvider', 'identityProviderClientId', 'identityProviderClientSecret'],
  ...['identityProviderTokenUrl', 'idToken'],
];

function pickGrantKeys(authentication: object): Record<string, Secret> {
  return Object.fromEntries(Object.entries(authentication).filter(([key]) => otherGrantKeys.includes(key)));
}

function toAuthentication(draft: AuthenticationDraft): NonNullable<ServerInput['authentication']> {
  const { type, token, key, header, username, password } = draft;
  switch (type) {
    case 'none':
      return { type };
    case 'bearer':
      return { type, token };
    case 'api-key':
      return { type, key, ...omitEmpty({ header: header.trim() }) };
    case 'basic':
      return { type, username, password };
    case 'oauth': {
      const { grant, clientId, clientSecret, scope, redirectUrl, clientMetadataUrl, privateKey, issuer } = draft;
      const client = { clientId, clientSecret, scope };
      if (grant === 'authorization-code') {
        return { type, ...omitEmpty({ ...client, redirectUrl, clientMetadataUrl }) };
      }
      return { type, grant, ...omitEmpty({ ...client, privateKey, issuer }), ...draft.otherGrantKeys };
    }
  }
}

/** The document and endpoints of an API. Without a document the list of endpoints is always sent. */
function describeApi({ openapi, endpoints }: ServerDraft): Pick<ServerInput, 'openapi' | 'endpoints'> {
  const url = openapi.trim();
  return {
    ...omitEmpty({ openapi: url }),
    ...((endpoints.length > 0 || url === '') && { endpoints: endpoints.map(toEndpoint) }),
  };
}

function toLines(values: Readonly<Record<string, Secret>> = {}): Line[] {
  return Object.entries(values).map(([name, value]) => newLine(name, value));
}

function toRecord(lines: readonly Line[]): Record<string, Secret> {
  return Object.fromEntries(
    lines.filter(({ name, value }) => name !== '' || value !== '').map(({ name, value }) => [name, value]),
  );
}

function omitEmpty<Values extends Readonly<Record<string, Secret>>>(values: Values): Partial<Values> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== '')) as Partial<Values>;
}
