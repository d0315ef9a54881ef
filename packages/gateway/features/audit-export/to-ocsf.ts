import { isObject, type JsonObject, omitUndefined } from '../../../contract/json.ts';
import type { CallRecord } from '../../../toolwharf/invocation/call-record.ts';
import { version } from '../../../toolwharf/kernel/version.ts';
import type { SignedAct } from '../../../toolwharf/storage/audit/acts.ts';
import type { AuditEntry } from '../../../toolwharf/storage/ports/audit.ts';

/** API Activity of the category Application Activity. */
const classUid = 6003;
const activities = { unknown: 0, create: 1, read: 2, update: 3, delete: 4, other: 99 } as const;
type Activity = keyof typeof activities;

/** An entry of the journal as an event of OCSF 1.4. It has no arguments and no results. */
export function toOcsf({ seq, callId, at, record, hash }: AuditEntry): JsonObject {
  const base = (activity: Activity, status: Status, more: JsonObject): JsonObject => ({
    category_uid: 6,
    category_name: 'Application Activity',
    class_uid: classUid,
    class_name: 'API Activity',
    activity_id: activities[activity],
    activity_name: activity[0]?.toUpperCase() + activity.slice(1),
    type_uid: classUid * 100 + activities[activity],
    time: Date.parse(at),
    ...severities[status],
    ...statuses[status],
    metadata: {
      version: '1.4.0',
      product: { vendor_name: 'Toolwharf', name: 'Toolwharf', version },
      uid: `${seq}-${hash.slice(0, 16)}`,
      sequence: seq,
      correlation_uid: callId,
      log_name: 'journal',
    },
    ...more,
  });
  if (typeof record === 'string')
    return base('unknown', 'failure', {
      actor: { app_name: 'toolwharf' },
      api: { operation: 'unreadable entry' },
      src_endpoint: { name: 'toolwharf' },
      message: 'An entry of the journal is damaged',
    });
  return isAct(record) ? base(...ofAct(record)) : base(...ofCall(record));
}

type Status = 'unknown' | 'success' | 'failure' | 'denied';
type Parts = readonly [activity: Activity, status: Status, more: JsonObject];

const statuses: Readonly<Record<Status, JsonObject>> = {
  unknown: { status_id: 0, status: 'Unknown' },
  success: { status_id: 1, status: 'Success' },
  failure: { status_id: 2, status: 'Failure' },
  denied: { status_id: 2, status: 'Failure' },
};

const severities: Readonly<Record<Status, JsonObject>> = {
  unknown: { severity_id: 1, severity: 'Informational' },
  success: { severity_id: 1, severity: 'Informational' },
  failure: { severity_id: 2, severity: 'Low' },
  denied: { severity_id: 3, severity: 'Medium' },
};

function isAct(record: CallRecord | SignedAct): record is SignedAct {
  return 'act' in record;
}

function ofAct({ act, subject, actor }: SignedAct): Parts {
  return [
    activityOf(act.replace(/^.*\./, '')),
    'success',
    {
      actor: { user: { name: actor ?? 'toolwharf', type_id: actor === undefined ? 3 : 0 } },
      api: { operation: act, service: { name: 'toolwharf' } },
      src_endpoint: { name: 'toolwharf' },
      resources: [{ name: subject, type: subject.replace(/\/.*$/s, '') }],
    },
  ];
}

function ofCall(record: CallRecord): Parts {
  const { caller, kind, server, originalName, status, end, error, approval, replica, client } = record as CallRecord & {
    readonly client?: { readonly name?: unknown; readonly version?: unknown };
  };
  const isAdministration = kind === 'administration';
  const clientName = isObject(client) && typeof client.name === 'string' ? client.name : undefined;
  return [
    isAdministration ? activityOf(originalName) : kind === undefined ? 'other' : 'read',
    end === 'denied' ? 'denied' : status === 'success' ? 'success' : status === 'error' ? 'failure' : 'unknown',
    {
      actor: {
        user: omitUndefined({
          uid: caller.id,
          name: caller.name,
          type_id: caller.kind === 'person' ? 1 : 99,
          type: caller.kind === 'person' ? 'User' : caller.kind,
        }),
        ...(clientName !== undefined && { app_name: clientName }),
      },
      api: {
        operation: isAdministration ? originalName : `${kind ?? 'tools/call'} ${originalName}`,
        service: { name: server ?? 'toolwharf' },
        ...(error && { response: { error: error.code, error_message: error.message } }),
      },
      src_endpoint: { name: clientName ?? caller.id },
      resources: [{ name: server === undefined ? originalName : `${server}/${originalName}`, type: kind ?? 'tool' }],
      ...(error && { status_detail: error.code }),
      unmapped: omitUndefined({
        call: record.id,
        call_status: status,
        end,
        profile: record.profile,
        parent: record.parent?.id,
        labels: record.labels,
        replica,
        approval: approval && JSON.stringify(approval).length < 2_000 ? { ...approval } : undefined,
      }) as JsonObject,
    },
  ];
}

function activityOf(operation: string): Activity {
  if (/^(create|add)/.test(operation)) return 'create';
  if (/^(get|list|read|find|search|export|verify)/.test(operation)) return 'read';
  if (/^(delete|remove|revoke)/.test(operation)) return 'delete';
  if (/^(update|set|change|enable|disable|accept|answer|rename|use)/.test(operation)) return 'update';
  return 'other';
}
