import { z } from 'zod';
import { apiProblems, isAddress } from './api-problems.ts';
import { authenticationSchema } from './authentication-schema.ts';
import type { ServerSpec } from './config.ts';
import { nativeDefaults } from './dialect-defaults.ts';
import { endpointsSchema } from './endpoint-schema.ts';
import { choice, environment, filledText, flag, headers, list, serverName, text, wholeNumber } from './schema-parts.ts';
import { isInsecureUrl, urlProblem } from './server-url.ts';

const base = z.strictObject({
  id: z.uuid({ error: 'must be a UUID' }),
  name: serverName,
  description: text.optional(),
  transport: choice(['stdio', 'http', 'sse', 'auto', 'api']),
  command: filledText.optional(),
  args: list(text).optional(),
  env: environment.optional(),
  cwd: filledText.optional(),
  url: filledText.optional(),
  headers: headers.optional(),
  /** Plain http to another machine; the only way round https. */
  allowInsecure: flag.default(false),
  authentication: authenticationSchema.default({ type: 'none' }),
  openapi: filledText.optional(),
  endpoints: endpointsSchema.optional(),
  timeout: wholeNumber(1000, 300_000).default(30_000),
  retryAttempts: wholeNumber(0, 5).default(3),
  enabled: flag.default(true),
  lastConnectedAt: z.iso.datetime().optional(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});

/** A server as it is kept and edited, with every default filled in. */
export const serverRecordSchema = base.superRefine(checkTarget);

/** A server that is being added: the record without what the store gives it. */
export const newServerRecordSchema = base
  .omit({ id: true, lastConnectedAt: true, createdAt: true, updatedAt: true })
  .superRefine(checkTarget);

export type ServerRecord = z.output<typeof serverRecordSchema>;
export type NewServerRecord = z.input<typeof newServerRecordSchema>;

/** The server a checked record describes, with Toolwharf's defaults for what records don't hold. */
export function toServerSpec(record: z.output<typeof newServerRecordSchema>): ServerSpec {
  return {
    name: record.name,
    ...(record.description !== undefined && { description: record.description }),
    enabled: record.enabled,
    required: nativeDefaults.required,
    target: toTarget(record),
    protocol: 'auto',
    trusted: false,
    timeoutMs: record.timeout,
    retryAttempts: record.retryAttempts,
    mode: 'dynamic',
    defaultTool: { maxInstances: nativeDefaults.maxInstances, timeoutMs: record.timeout },
    onChange: 'ask',
  };
}

type Target = Pick<
  ServerRecord,
  | 'transport'
  | 'command'
  | 'args'
  | 'env'
  | 'cwd'
  | 'url'
  | 'headers'
  | 'authentication'
  | 'allowInsecure'
  | 'openapi'
  | 'endpoints'
>;

/** Where the server of a checked record is, in the words that configurations use too. */
export function toTarget(record: Target): ServerSpec['target'] {
  const { transport, command = '', args = [], env = {}, cwd, url = '', headers = {} } = record;
  if (transport === 'stdio') return { transport, command, args, env, ...(cwd !== undefined && { cwd }) };
  const { authentication, allowInsecure, openapi, endpoints } = record;
  return {
    transport,
    url,
    headers,
    authentication,
    allowInsecure,
    ...(openapi !== undefined && { openapi }),
    ...(endpoints && { endpoints }),
  };
}

function checkTarget(record: Target, context: z.RefinementCtx): void {
  const issue = (key: keyof Target, message: string) => context.addIssue({ code: 'custom', path: [key], message });
  const stdio = record.transport === 'stdio';
  const foreign = stdio
    ? (['url', 'headers', 'openapi', 'endpoints'] as const)
    : (['command', 'args', 'env', 'cwd'] as const);
  for (const key of foreign) {
    if (record[key] !== undefined) issue(key, `does not belong to transport '${record.transport}'`);
  }
  if (stdio) {
    if (record.command === undefined) issue('command', "is required for transport 'stdio'");
    if (record.authentication.type !== 'none') issue('authentication', "does not belong to transport 'stdio'");
    return;
  }
  const problem = record.url === undefined ? `is required for transport '${record.transport}'` : urlProblem(record.url);
  if (problem) issue('url', problem);
  else if (record.url !== undefined && isInsecureUrl(record.url) && !record.allowInsecure) {
    issue('url', 'plain http to another machine: use https, or set allowInsecure: true');
  }
  for (const { key, message } of apiProblems(record)) issue(key, message);
  if (record.openapi !== undefined && !isAddress(record.openapi))
    issue('openapi', 'must be the address of the document: files are for the configuration file');
}
