import type { ConnectionState } from '../../contract/connections.ts';
import type { ToolwharfError } from '../../contract/errors.ts';
import type { CatalogDifference } from '../catalog/catalog.ts';
import type { ListKind } from '../connections/discovery.ts';
import type { ConnectionStatus } from '../connections/status.ts';
import type { CallRecord } from '../invocation/call-record.ts';
import type { ApprovalAnswer, ApprovalRequest } from '../policy/approval.ts';
import type { AppliedConfig } from './apply-config.ts';
import type { FlaggedTool } from './flag-tools.ts';
import type { ServerNotice } from './server-content.ts';

/** The events of a toolbox and their data, for `toolbox.on`. */
export interface ToolboxEvents {
  'server.changed': { readonly server: string; readonly status: ConnectionStatus; readonly before: ConnectionState };
  'server.notified': ServerNotice;
  'catalog.changed': CatalogDifference & { readonly server?: string };
  /** A tool was added or changed, and its definition is suspicious. */
  'tool.flagged': FlaggedTool;
  /**
   * A server's resources, resource templates, prompts or skills were read: the first time, or because they changed. Without a
   * server, the skills of local folders were loaded.
   */
  'content.changed': { readonly server?: string; readonly kind: Exclude<ListKind, 'tools'> };
  'call.changed': CallRecord;
  'approval.asked': ApprovalRequest;
  'approval.answered': { readonly request: ApprovalRequest; readonly answer: ApprovalAnswer };
  /** Profiles were added, changed or removed. */
  'profiles.changed': { readonly profiles: readonly string[] };
  'config.applied': AppliedConfig;
  'config.refused': { readonly error: ToolwharfError };
}
