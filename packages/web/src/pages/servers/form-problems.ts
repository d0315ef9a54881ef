import type { FormField } from '../../../../contract/form-fields.ts';
import { ApiError, type ServerInput } from '../../api/client.ts';
import { messageOf } from '../../components/ErrorNotice.tsx';
import { isRecord } from '../../components/is-record.ts';
import { safeText } from '../../components/safe-text.ts';
import { capitalize } from '../../text/capitalize.ts';
import { authenticationFields, type ServerDraft, settingFields } from './server-draft.ts';

/** The problems that the gateway found, by field. `general` has those without a field. */
export interface FormProblems {
  at(path: string): string | undefined;
  readonly general: readonly string[];
}

/** The props of every part of the form. */
export interface FormPartProps {
  readonly draft: ServerDraft;
  /** The draft when the form was opened. */
  readonly initial: ServerDraft;
  readonly problems: FormProblems;
  readonly onChange: (part: Partial<ServerDraft>) => void;
}

/** Assigns the problems of an error to the fields of the request. */
export function toFormProblems(error: unknown, sent: ServerInput | undefined): FormProblems {
  const found = new Map<string, string>();
  const general: string[] = [];
  const fields = sent ? listFields(sent) : new Set<string>();
  for (const { path: full, message } of listProblems(error, sent?.name)) {
    // All lines of a setting are in one field.
    const path = fields.has(full) ? full : full.replace(/\.\d+$/, '');
    if (fields.has(path)) found.set(path, capitalize(safeText(message, 1_000)));
    else general.push(capitalize(safeText(full === '' ? message : `${full}: ${message}`, 1_000)));
  }
  return { at: (path) => found.get(path), general };
}

/** The fields of one endpoint. */
export const endpointFields = ['name', 'method', 'path', 'description', 'input', 'query'] as const;

interface Problem {
  readonly path: string;
  readonly message: string;
}

function listProblems(error: unknown, name: string | undefined): Problem[] {
  if (!error) return [];
  const data = error instanceof ApiError && isRecord(error.data) ? error.data : {};
  if (error instanceof ApiError && error.code === 'CONFLICT' && data.server === name) {
    return [{ path: 'name', message: error.message }];
  }
  const listed = Array.isArray(data.problems) ? data.problems.filter(isRecord) : [];
  if (listed.length === 0) return [{ path: '', message: messageOf(error) }];
  return listed.map(({ path, message }) => ({
    path: String(path ?? '').replace(/^body\.?/, ''),
    message: String(message ?? ''),
  }));
}

function listFields(sent: ServerInput): ReadonlySet<string> {
  const { transport, args = [], env = {}, headers = {}, authentication, endpoints = [] } = sent;
  const common = ['name', ...settingFields({ transport: transport ?? 'auto' }).flatMap(pathsOf)];
  if (transport === 'stdio') {
    return new Set([...common, 'command', ...args.map((_, at) => `args.${at}`), ...listKeys('env', env)]);
  }
  const fields = authenticationFields({
    transport: transport ?? 'auto',
    authentication: authentication ?? noAuthentication,
  });
  const remote = ['url', ...listKeys('headers', headers), ...fields.map(({ key }) => `authentication.${key}`)];
  if (transport !== 'api') return new Set([...common, ...remote]);
  const described = endpoints.flatMap((_, at) => endpointFields.map((field) => `endpoints.${at}.${field}`));
  return new Set([...common, ...remote, 'openapi', 'endpoints', ...described]);
}

const noAuthentication = { type: 'none' } as const;

function pathsOf({ key, fields = [] }: FormField): string[] {
  return [key, ...fields.flatMap(pathsOf).map((path) => `${key}.${path}`)];
}

function listKeys(part: string, values: object): string[] {
  return Object.keys(values).map((name) => `${part}.${name}`);
}
