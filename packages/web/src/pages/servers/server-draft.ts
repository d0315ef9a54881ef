import type { FormField } from '../../../../contract/form-fields.ts';
import type { ImportedServer, ServerInput, ServerRecord } from '../../api/client.ts';
import { otherSettings } from '../../api/other-settings.ts';
import type { Secret } from '../../components/SecretInput.tsx';
import {
  fieldFor,
  otherFields,
  type SettingValues,
  toBody,
  variantFields,
} from '../../components/settings-form/setting-values.ts';
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

type Authentication = NonNullable<ServerInput['authentication']>;

/** The values of all types of authentication: switching the type loses nothing. */
export interface AuthenticationDraft {
  readonly type: Authentication['type'];
  readonly [setting: string]: unknown;
}

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
  readonly authentication: AuthenticationDraft;
  /** The stored authentication: the form keeps those of its settings that only a newer gateway knows. */
  readonly storedAuthentication: AuthenticationDraft;
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
  const authentication: AuthenticationDraft = { ...authenticationDefaults, type: 'none', ...server?.authentication };
  return {
    name: server?.name ?? '',
    isNamed: server !== undefined,
    transport: server?.transport ?? 'auto',
    command: server?.command ?? '',
    args: (server?.args ?? []).map((value) => newLine('', value)),
    env: toLines(server?.env),
    url: server?.url ?? '',
    headers: toLines(server?.headers),
    authentication,
    storedAuthentication: authentication,
    openapi: server?.openapi ?? '',
    endpoints: (server?.endpoints ?? []).map(toEndpointDraft),
    settings: otherSettings(server, ownKeys),
  };
}

/** The settings with fields of their own. */
const drawnKeys = [
  ...(['name', 'transport', 'command', 'args', 'env', 'url', 'headers'] as const),
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

/** The fields of the authentication in use. */
export function authenticationFields(draft: Pick<ServerDraft, 'transport' | 'authentication'>): readonly FormField[] {
  return variantFields(authenticationField, { ...draft.authentication, type: authenticationType(draft) });
}

export const authenticationField = fieldFor('server', 'authentication');
const everyAuthenticationField = Object.values(authenticationField.variants ?? {}).flat();
const authenticationKeys = new Set(everyAuthenticationField.map(({ key }) => key));
const authenticationDefaults = Object.fromEntries(
  everyAuthenticationField.flatMap((field) => (field.default === undefined ? [] : [[field.key, field.default]])),
);

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
  const { url, headers } = draft;
  return {
    ...common,
    ...omitEmpty({ url: url.trim() }),
    headers: toRecord(headers),
    authentication: toAuthentication(draft),
    ...(transport === 'api' && describeApi(draft)),
  };
}

/** The authentication in use. An HTTP API does not support OAuth. */
export function authenticationType({
  transport,
  authentication,
}: Pick<ServerDraft, 'transport' | 'authentication'>): Authentication['type'] {
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

function toAuthentication(draft: ServerDraft): Authentication {
  const { authentication, storedAuthentication: stored } = draft;
  const type = authenticationType(draft);
  const fields = authenticationFields(draft);
  const required = fields.filter((field) => field.required).map(({ key }) => [key, ''] as const);
  const isKept = type === stored.type && authentication.grant === stored.grant;
  const used = Object.entries(authentication).filter(
    ([key]) => fields.some((field) => field.key === key) || (isKept && !authenticationKeys.has(key)),
  );
  return { ...Object.fromEntries(required), ...toBody(fields, Object.fromEntries(used)), type } as Authentication;
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
