import type { ServerRecord } from '../../config/server-record.ts';
import type { ServerInfo } from '../../servers/server-info.ts';
import type { Identity } from '../auth/identity.ts';
import { toVisibleStatus } from '../auth/profile-scope.ts';
import type { ApiPorts } from './route.ts';
import type { ServerView } from './schemas/servers.ts';
import { toRecordView } from './server-masks.ts';

/** A server as the caller may see it. */
export function toServerView(
  info: ServerInfo,
  record: ServerRecord | undefined,
  { identity }: { readonly identity: Identity },
  { servers, toolbox }: ApiPorts,
): ServerView {
  const { place, status, ...rest } = info;
  const { isAdmin } = identity;
  const file = isAdmin ? toolbox.loaded.file : undefined;
  const readOnly = `Defined in the configuration${file === undefined ? '' : ` file ${file}`}`;
  return {
    id: record?.id ?? info.name,
    ...rest,
    source: record ? 'store' : 'file',
    readOnly: record ? undefined : readOnly,
    problem: record && servers.stored.problemOf(record),
    enabled: record?.enabled ?? info.enabled,
    status: toVisibleStatus(status, identity),
    place: isAdmin ? place : undefined,
    record: isAdmin && record ? toRecordView(record) : undefined,
  };
}
