import type { ServerRecord } from '../../config/server-record.ts';
import type { ServerInfo } from '../../servers/server-info.ts';
import type { Identity } from '../auth/identity.ts';
import { visibleStatus } from '../auth/visible-status.ts';
import type { ApiPorts } from './route.ts';
import type { ServerView } from './schemas/servers.ts';
import { toRecordView } from './server-masks.ts';

/** A server as someone may see it. */
export function toServerView(
  info: ServerInfo,
  record: ServerRecord | undefined,
  identity: Identity,
  { stored, toolbox }: Pick<ApiPorts, 'stored' | 'toolbox'>,
): ServerView {
  const { place, status, ...rest } = info;
  const problem = record && stored.problemOf(record);
  const { file } = toolbox.loaded;
  const readOnly = file === undefined ? 'It is in the configuration' : `It is in the configuration file ${file}`;
  return {
    id: record?.id ?? info.name,
    ...rest,
    source: record ? 'store' : 'file',
    ...(!record && { readOnly: identity.isAdmin ? readOnly : 'It is in the configuration' }),
    ...(problem !== undefined && { problem }),
    ...(record && { enabled: record.enabled }),
    status: visibleStatus(status, identity),
    ...(identity.isAdmin && { place }),
    ...(identity.isAdmin && record && { record: toRecordView(record) }),
  };
}
