import type { ImportedServer, ServerInput, ServerRecord } from '../../api/client.ts';
import { type EndpointDraft, isUnclear, toEndpoint, toEndpointDraft } from './endpoints/endpoint-draft.ts';
import { nextId } from './next-id.ts';

/** A secret as it is typed, or one that the gateway has stored and keeps. */
export type Secret = string | { readonly set: true };

/** A line of a list of arguments, variables or headers. The id stays with it while others come and go. */
export interface Line {
  readonly id: number;
  readonly name: string;
  readonly value: Secret;
  /** The gateway has a value for it, which is kept unless another is typed. */
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
}

/** What stands in the form: also what another transport would need, so that trying one costs nothing. */
export interface ServerDraft {
  readonly name: string;
  /** False until somebody has said what it is to be called. */
  readonly isNamed: boolean;
  readonly description: string;
  readonly transport: ServerInput['transport'];
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
  readonly enabled: boolean;
}

export function newLine(name = '', value: Secret = ''): Line {
  return { id: nextId(), name, value, isStored: typeof value !== 'string' };
}

/** The form for a server that is stored or was read from another configuration; an empty one for none. */
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
    authentication: { ...noAuthentication, ...authentication },
    openapi: server?.openapi ?? '',
    endpoints: (server?.endpoints ?? []).map(toEndpointDraft),
    timeout: String(server?.timeout ?? 30_000),
    retryAttempts: String(server?.retryAttempts ?? 3),
    enabled: server?.enabled ?? true,
  };
}

/** What is sent to the gateway: of the form, what belongs to the chosen transport. The gateway judges it. */
export function toInput(draft: ServerDraft): ServerInput {
  const { name, description, transport, timeout, retryAttempts, enabled } = draft;
  const common = {
    name: name.trim(),
    ...filled({ description: description.trim() }),
    transport,
    ...(timeout !== '' && { timeout: Number(timeout) }),
    ...(retryAttempts !== '' && { retryAttempts: Number(retryAttempts) }),
    enabled,
  };
  if (transport === 'stdio') {
    const { command, args, env, cwd } = draft;
    const texts = { command: command.trim(), cwd: cwd.trim() };
    return { ...common, ...filled(texts), args: args.map(({ value }) => value), env: toRecord(env) };
  }
  const { url, headers, allowInsecure } = draft;
  return {
    ...common,
    ...filled({ url: url.trim() }),
    headers: toRecord(headers),
    allowInsecure,
    authentication: toAuthentication({ ...draft.authentication, type: authenticationType(draft) }),
    ...(transport === 'api' && toDescription(draft)),
  };
}

/** How the gateway will prove who it is. An API takes no OAuth; what was chosen stays for other transports. */
export function authenticationType({ transport, authentication }: ServerDraft): AuthenticationDraft['type'] {
  return transport === 'api' && authentication.type === 'oauth' ? 'none' : authentication.type;
}

/** Whether something in it, which the form points out, keeps it from being sent. */
export function isUnsendable({ transport, env, headers, endpoints }: ServerDraft): boolean {
  if (repeatedNames(transport === 'stdio' ? env : headers).size > 0) return true;
  return transport === 'api' && (repeatedNames(endpoints).size > 0 || endpoints.some(isUnclear));
}

/** Names that stand in a list more than once: only one of them could be sent. */
export function repeatedNames(lines: readonly { readonly name: string }[]): ReadonlySet<string> {
  const seen = new Set<string>();
  const repeated = lines.filter(({ name }) => name !== '' && (seen.has(name) || !seen.add(name)));
  return new Set(repeated.map(({ name }) => name));
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
};

function toAuthentication(draft: AuthenticationDraft): NonNullable<ServerInput['authentication']> {
  const { type, token, key, header, username, password } = draft;
  switch (type) {
    case 'none':
      return { type };
    case 'bearer':
      return { type, token };
    case 'api-key':
      return { type, key, ...filled({ header: header.trim() }) };
    case 'basic':
      return { type, username, password };
    case 'oauth': {
      const { clientId, clientSecret, scope, redirectUrl, clientMetadataUrl } = draft;
      return { type, ...filled({ clientId, clientSecret, scope, redirectUrl, clientMetadataUrl }) };
    }
  }
}

/** What an API has. With nothing to tell, the gateway asks for an endpoint. */
function toDescription({ openapi, endpoints }: ServerDraft): Pick<ServerInput, 'openapi' | 'endpoints'> {
  const place = openapi.trim();
  return {
    ...filled({ openapi: place }),
    ...((endpoints.length > 0 || place === '') && { endpoints: endpoints.map(toEndpoint) }),
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

function filled<Values extends Readonly<Record<string, Secret>>>(values: Values): Partial<Values> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== '')) as Partial<Values>;
}
