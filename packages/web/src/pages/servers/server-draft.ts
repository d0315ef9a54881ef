import type { FormField } from '../../../../contract/form-fields.ts';
import type { ImportedServer, ServerInput, ServerRecord } from '../../api/client.ts';
import { otherSettings } from '../../api/other-settings.ts';
import type { Secret } from '../../components/SecretInput.tsx';
import { otherFields, type SettingValues, toBody } from '../../components/settings-form/setting-values.ts';
import { type EndpointDraft, hasArgumentProblems, toEndpoint, toEndpointDraft } from './endpoints/endpoint-draft.ts';
import { nextId } from './form-lines.ts';

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
  /** Settings that the form does not show. Saving keeps them. */
  readonly others: Readonly<Record<string, Secret>>;
  /** The type and grant that the other settings belong to. */
  readonly othersOf: string;
}

export type OAuthGrant = NonNullable<Extract<ServerInput['authentication'], { type: 'oauth' }>['grant']>;

/** The values of the form, for all transports: switching the transport loses nothing. */
export interface ServerDraft {
  readonly name: string;
  /** Whether the person chose the name. */
  readonly isNamed: boolean;
  readonly transport: NonNullable<ServerInput['transport']>;
  readonly command: string;
  readonly args: readonly Line[];
  readonly env: readonly Line[];
  readonly url: string;
  readonly headers: readonly Line[];
  readonly allowInsecure: boolean;
  readonly authentication: AuthenticationDraft;
  readonly openapi: string;
  readonly endpoints: readonly EndpointDraft[];
  /** The other settings, as the contract describes them, also those that only a newer gateway knows. */
  readonly settings: SettingValues;
}

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
    transport: server?.transport ?? 'auto',
    command: server?.command ?? '',
    args: (server?.args ?? []).map((value) => newLine('', value)),
    env: toLines(server?.env),
    url: server?.url ?? '',
    headers: toLines(server?.headers),
    allowInsecure: server?.allowInsecure ?? false,
    authentication: toAuthenticationDraft(authentication),
    openapi: server?.openapi ?? '',
    endpoints: (server?.endpoints ?? []).map(toEndpointDraft),
    settings: otherSettings(server, ownKeys),
  };
}

/** The settings with fields of their own. */
const drawnKeys = [
  ...(['name', 'transport', 'command', 'args', 'env', 'url', 'headers', 'allowInsecure'] as const),
  ...(['authentication', 'openapi', 'endpoints'] as const),
] satisfies readonly (keyof ServerInput)[];

/** These, and what a record has beside its settings. */
const ownKeys = [
  ...drawnKeys,
  'id',
  'lastConnectedAt',
  'createdAt',
  'updatedAt',
] satisfies readonly (keyof ServerRecord)[];

/** The settings beside those, for a server of this transport. */
export function settingFields({ transport }: Pick<ServerDraft, 'transport'>): readonly FormField[] {
  const other = transport === 'stdio' ? 'url' : 'program';
  return otherFields('server', drawnKeys).filter(({ only }) => only !== other);
}

/** The body of the request: the values of the selected transport. The gateway validates it. */
export function toInput(draft: ServerDraft): ServerInput {
  const { name, transport, settings } = draft;
  const fields = settingFields(draft);
  const unused = new Set(
    otherFields(
      'server',
      fields.map(({ key }) => key),
    ).map(({ key }) => key),
  );
  const used = Object.fromEntries(Object.entries(settings).filter(([key]) => !unused.has(key)));
  const common = { ...toBody(fields, used), name: name.trim(), transport };
  if (transport === 'stdio') {
    const { command, args, env } = draft;
    return {
      ...common,
      ...omitEmpty({ command: command.trim() }),
      args: args.map(({ value }) => value),
      env: toRecord(env),
    };
  }
  const { url, headers, allowInsecure } = draft;
  return {
    ...common,
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
  const hasSignIns = stored.settings.credentials === 'per-user' || authenticationType(stored) === 'oauth';
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
  others: {},
  othersOf: '',
};

function toAuthenticationDraft(stored: Readonly<Pick<AuthenticationDraft, 'type'>>): AuthenticationDraft {
  const draft = { ...noAuthentication, ...stored };
  const others = otherSettings(stored, Object.keys(noAuthentication)) as Record<string, Secret>;
  return { ...draft, others, othersOf: kindOf(draft) };
}

function kindOf({ type, grant }: AuthenticationDraft): string {
  return type === 'oauth' ? `${type} ${grant}` : type;
}

function toAuthentication(draft: AuthenticationDraft): NonNullable<ServerInput['authentication']> {
  const shown = toShownAuthentication(draft);
  return kindOf(draft) === draft.othersOf ? { ...draft.others, ...shown } : shown;
}

function toShownAuthentication(draft: AuthenticationDraft): NonNullable<ServerInput['authentication']> {
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
      return { type, grant, ...omitEmpty({ ...client, privateKey, issuer }) };
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
