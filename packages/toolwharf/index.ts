/**
 * The library: everything exported here is public API. The bridges to model providers are in subpaths, such as
 * `toolwharf/openai`, and the schemas of records in `toolwharf/schema`.
 */

export type { ApprovalScope } from '../contract/approvals.ts';
export type { CallEnd, CallStatus, TaskStatus } from '../contract/calls.ts';
export type { ConnectionState, Era } from '../contract/connections.ts';
export { ConnectionError, type ErrorCode, errorStatus, ProtocolError, ToolwharfError } from '../contract/errors.ts';
export type { JsonObject, JsonSchema } from '../contract/json.ts';
export type {
  ApprovalMode,
  Dialect,
  Naming,
  OnChange,
  ProtocolChoice,
  ToolMode,
} from '../contract/settings/choices.ts';
export type {
  ApprovalConfig,
  Authentication,
  ChainConfig,
  Config,
  HttpTarget,
  ProfileConfig,
  RateLimit,
  ServerSpec,
  StdioTarget,
  ToolboxConfig,
  ToolConfig,
  ToolLimits,
} from '../contract/settings/config.ts';
export { parseDuration } from '../contract/settings/durations.ts';
export type { Endpoint } from '../contract/settings/endpoint-schema.ts';
export type { NativeConfig } from '../contract/settings/native-schema.ts';
export type { OAuthAuthentication } from '../contract/settings/oauth-config.ts';
export type { PluginEntry, PluginSettings, PluginTarget } from '../contract/settings/plugin-config.ts';
export type { SandboxConfig } from '../contract/settings/sandbox-schema.ts';
export type { NativeServer } from '../contract/settings/server-schema.ts';
export type { AnyTransport, ConnectedTransport, TransportName } from '../contract/settings/transports.ts';
export type { CatalogDifference } from './catalog/catalog.ts';
export type { CatalogTool } from './catalog/catalog-entry.ts';
export type { DefinitionChange } from './catalog/definition-diff.ts';
export { type LocalTool, type LocalToolContext, localTool, type ScriptTool } from './catalog/local-tool.ts';
export type { Pin, PinStore } from './catalog/pins.ts';
export type { ConfigSource } from './config/config-source.ts';
export { dataDirectory } from './config/data-directory.ts';
export { type DefaultServersOptions, defaultServers } from './config/default-servers.ts';
export { type ImportedConfig, importClientConfig } from './config/import-client-config.ts';
export { findConfigFile, type LoadedConfig, type LoadOptions, loadConfig, parseConfig } from './config/load-config.ts';
export { type Environment, resolveEnv } from './config/references.ts';
export {
  createLoopbackCallback,
  type LoopbackCallbackOptions,
} from './connections/authentication/loopback-callback.ts';
export type { OAuthCallback, OAuthQuestion, OpenOAuthCallback } from './connections/authentication/oauth-callback.ts';
export { createMemoryOAuthStore, type OAuthStore } from './connections/authentication/oauth-store.ts';
export type { UpstreamTask } from './connections/follow-task.ts';
export type { OAuthPorts } from './connections/http/http-endpoint.ts';
export type { ElicitAnswer, QuestionContext, RequestHost, Root } from './connections/request-host.ts';
export type { TransportContext } from './connections/session.ts';
export type { ConnectionStatus } from './connections/status.ts';
export type { LaunchedProgram } from './connections/stdio/server-process.ts';
export type { Call, CallEvent, CallHost, CallQuestionContext, CallState } from './invocation/call.ts';
export type { CallParent, CallRecord } from './invocation/call-record.ts';
export type { StartOptions } from './invocation/invoker.ts';
export type { CallFilter, Journal, KeyClaim } from './invocation/journal.ts';
export type { ResultPage } from './invocation/large-results.ts';
export type { CallQuestion } from './invocation/open-questions.ts';
export type { PermitStats } from './invocation/permits.ts';
export { parseJsonText } from './kernel/decimal.ts';
export { toJsonText } from './kernel/exact-json.ts';
export { createLog, type Log, type LogEntry, type LogFields, type LogLevel } from './kernel/log.ts';
export type { SkillDefinition, SkillFile, SkillFrontmatter } from './kernel/skill.ts';
export type * from './kernel/tool.ts';
export type { ToolId } from './kernel/tool-id.ts';
export {
  type AccessAnswer,
  type AccessQuestion,
  type ArgumentsChange,
  type CallSummary,
  type CreatePlugin,
  definePlugin,
  type ExportedEvent,
  type ExportedItem,
  type LaunchedServer,
  type ListedTool,
  type PastCall,
  type PastCalls,
  type Plugin,
  type PluginApprover,
  type PluginContext,
  type PluginExporter,
  type PluginNotice,
  type PluginPolicy,
  type PluginRecordKind,
  type PluginRecords,
  type PluginRedactor,
  type PluginRequest,
  type PluginRoute,
  type PluginSetup,
  type PluginSummaryExporter,
  type PluginTool,
  type PluginTools,
  type PluginTransport,
  type PluginUse,
  type PolicyVerdict,
  pluginTransport,
  type ReadHistory,
  type Redaction,
  type ReserveVerdict,
  type ResultVerdict,
  type ReviewVerdict,
  type SecretReference,
  type Viewer,
  type WrappedProgram,
} from './plugins/plugin.ts';
export type { ApprovalAnswer, ApprovalHost, ApprovalRequest, Approver, ApproverFunction } from './policy/approval.ts';
export { toDisplayText } from './policy/display-text.ts';
export type { CarriedContent, Detection } from './policy/redaction.ts';
export type { RememberedRule, RuleStore } from './policy/remembered-rules.ts';
export type { DispatchableCall, PluginCall, ReachedLimit, ReservationEnd, ReviewedCall } from './policy/review.ts';
export { type DefinitionFinding, type ScanOptions, scanDefinition } from './policy/scan-definition.ts';
export type { AppliedConfig } from './servers/apply-config.ts';
export type { FlaggedTool } from './servers/flag-tools.ts';
export type { Offered, ServerContent } from './servers/server-content.ts';
export type { OfferedList, ServerInfo } from './servers/server-info.ts';
export type { Skill, SkillContent, SkillId, ToolboxSkills } from './servers/skills/toolbox-skills.ts';
export type { PluginRecord } from './storage/ports/record-store.ts';
export { createToolbox, type Toolbox, type ToolboxEvents, type ToolboxOptions } from './toolbox.ts';
export type { ToolboxApprovals, ToolboxCalls, ToolboxCatalog, ToolboxServers } from './toolbox-types.ts';
