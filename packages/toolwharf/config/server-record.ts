import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { JsonObject } from '../../contract/json.ts';
import type { ServerSpec } from '../../contract/settings/config.ts';
import { nativeDefaults, serverDefaults } from '../../contract/settings/defaults.ts';
import { choice, serverName } from '../../contract/settings/schema-parts.ts';
import { type NativeServer, serverShape, storedUrlShape } from '../../contract/settings/server-schema.ts';
import { insecureUrlMessage, isRefusedUrl, urlProblem } from '../../contract/settings/server-url.ts';
import { transports } from '../../contract/settings/transports.ts';
import { buildServer, buildTarget } from './build-config.ts';
import { isUrl, serverConflicts } from './server-conflicts.ts';

const newServer = z.strictObject({
  name: serverName,
  ...serverShape,
  ...storedUrlShape,
  timeout: serverShape.timeout.default(serverDefaults.timeoutMs),
  retryAttempts: serverShape.retryAttempts.default(serverDefaults.retryAttempts),
  enabled: serverShape.enabled.default(serverDefaults.enabled),
  /** Set while the server waits for an administrator: who added or changed it. */
  review: z.strictObject({ by: z.string(), at: z.iso.datetime() }).optional(),
});

/** A stored server. Durations are in milliseconds. */
export const serverRecordSchema = newServer
  .extend({
    transport: choice(transports),
    id: z.uuid({ error: 'must be a UUID' }),
    lastConnectedAt: z.iso.datetime().optional(),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .superRefine(checkRecord);

/** A server to add: the record without the fields that the store sets. */
export const newServerRecordSchema = newServer
  .superRefine(checkRecord)
  .transform((server) => ({ ...server, transport: buildTarget(server).transport }));

/** A stored server record. */
export type ServerRecord = z.output<typeof serverRecordSchema>;

/** A server record as a client sends it, before it is stored. */
export type NewServerRecord = z.input<typeof newServerRecordSchema>;
/** A checked server that is not stored yet. */
export type CheckedServerRecord = z.output<typeof newServerRecordSchema>;

/** Builds the server from a checked record. */
export function toServerSpec(record: z.output<typeof newServer>): ServerSpec {
  return buildServer(record.name, record, nativeDefaults);
}

/** Converts a checked record to an entry of the `servers:` map. */
export function toNativeServer(record: CheckedServerRecord): NativeServer {
  return Object.fromEntries(
    Object.entries(ownKeys(record)).filter(([key]) => key in serverShape),
  ) as unknown as NativeServer;
}

/** Removes the defaults of keys that the kind of server does not have. */
function ownKeys(record: z.output<typeof newServer>): z.output<typeof newServer> {
  if (record.command === undefined || record.url !== undefined) return record;
  const defaults: JsonObject = z.object(storedUrlShape).parse({});
  return Object.fromEntries(
    Object.entries(record).filter(([key, value]) => !isDeepStrictEqual(value, defaults[key])),
  ) as z.output<typeof newServer>;
}

function checkRecord(record: z.output<typeof newServer>, context: z.RefinementCtx): void {
  const report = (key: string | undefined, message: string) =>
    context.addIssue({ code: 'custom', path: key === undefined ? [] : [key], message });
  for (const { key, message } of serverConflicts(record.name, ownKeys(record))) report(key, message);
  const { url, openapi } = record;
  if (url !== undefined) {
    const insecure = isRefusedUrl(url, record) ? insecureUrlMessage : undefined;
    const problem = urlProblem(url) ?? insecure;
    if (problem !== undefined) report('url', problem);
  }
  if (record.inheritEnv) report('inheritEnv', 'only the configuration file can pass the environment to a program');
  // A path would refer to a file on the gateway host.
  if (openapi !== undefined && !isUrl(openapi))
    report('openapi', 'must be the URL of the document: only the configuration file can name a file');
}
