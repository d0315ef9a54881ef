/**
 * The library: everything exported here is public API. The bridges to model providers are in subpaths, such as
 * `toolwharf/openai`.
 */
export type { CatalogDifference, CatalogEntry } from './catalog/catalog.ts';
export type { DefinitionChange } from './catalog/definition-diff.ts';
export { type LocalTool, type LocalToolContext, localTool } from './catalog/local-tool.ts';
export type { Pin, PinStore } from './catalog/pins.ts';
export type { ApprovalMode, Dialect, Naming, OnChange, ProtocolChoice, ToolMode } from './config/choices.ts';
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
} from './config/config.ts';
export type { ConfigSource } from './config/config-source.ts';
export { dataDirectory } from './config/data-directory.ts';
export { type DefaultServersOptions, defaultServers } from './config/default-servers.ts';
export { parseDuration } from './config/durations.ts';
export type { Endpoint } from './config/endpoint-schema.ts';
export { type ImportedConfig, importClientConfig } from './config/import-client-config.ts';
export { findConfigFile, type LoadedConfig, type LoadOptions, loadConfig, parseConfig } from './config/load-config.ts';
export type { NativeConfig } from './config/native-schema.ts';
export type { OAuthAuthentication } from './config/oauth-config.ts';
export type { PluginEntry, PluginTarget } from './config/plugin-config.ts';
export { type Environment, resolveEnv } from './config/references.ts';
export {
  type NewServerRecord,
  newServerRecordSchema,
  type ServerRecord,
  serverRecordSchema,
  toServerSpec,
} from './config/server-record.ts';
export type { NativeServer } from './config/server-schema.ts';
export type { AnyTransport, ConnectedTransport, TransportName } from './config/transports.ts';
export {
  createLoopbackCallback,
  type LoopbackCallbackOptions,
} from './connections/authentication/loopback-callback.ts';
export type { OAuthCallback, OAuthQuestion, OpenOAuthCallback } from './connections/authentication/oauth-callback.ts';
export { createMemoryOAuthStore, type OAuthStore } from './connections/authentication/oauth-store.ts';
export type { TaskStatus, UpstreamTask } from './connections/follow-task.ts';
export type { OAuthPorts } from './connections/http/http-endpoint.ts';
export type { ElicitAnswer, QuestionContext, RequestHost, Root } from './connections/request-host.ts';
export type { TransportContext } from './connections/session.ts';
export type { ConnectionState, ConnectionStatus, Era } from './connections/status.ts';
export type { Call, CallEvent, CallHost, CallQuestionContext, CallState } from './invocation/call.ts';
export type { CallEnd, CallParent, CallRecord, CallStatus } from './invocation/call-record.ts';
export type { StartOptions } from './invocation/invoker.ts';
export type { CallFilter, Journal, KeyClaim } from './invocation/journal.ts';
export type { ResultPage } from './invocation/large-results.ts';
export type { CallQuestion } from './invocation/open-questions.ts';
export type { PermitStats } from './invocation/permits.ts';
export { ConnectionError, type ErrorCode, errorStatus, ProtocolError, ToolwharfError } from './kernel/errors.ts';
export type { JsonObject, JsonSchema } from './kernel/json.ts';
export { createLog, type Log, type LogEntry, type LogFields, type LogLevel } from './kernel/log.ts';
export type { SkillDefinition, SkillFile, SkillFrontmatter } from './kernel/skill.ts';
export type * from './kernel/tool.ts';
export type { ToolId } from './kernel/tool-id.ts';
export {
  type CreatePlugin,
  definePlugin,
  type ExportedEvent,
  type ExportedItem,
  type Plugin,
  type PluginApprover,
  type PluginContext,
  type PluginExporter,
  type PluginPolicy,
  type PluginSetup,
  type PluginTransport,
  type PolicyVerdict,
  pluginTransport,
} from './plugins/plugin.ts';
export type { ApprovalAnswer, ApprovalHost, ApprovalRequest, ApprovalScope, Approver } from './policy/approval.ts';
export { toDisplayText } from './policy/display-text.ts';
export type { RememberedRule, RuleStore } from './policy/remembered-rules.ts';
export type { ReviewedCall } from './policy/review.ts';
export { type DefinitionFinding, type ScanOptions, scanDefinition } from './policy/scan-definition.ts';
export { indexNames, type NameIndex } from './policy/scan-definition-names.ts';
export type { AppliedConfig } from './servers/apply-config.ts';
export type { FlaggedTool } from './servers/flag-tools.ts';
export type { Offered, ServerContent } from './servers/server-content.ts';
export type { OfferedList, ServerInfo } from './servers/server-info.ts';
export type { Skill, SkillContent, SkillId, ToolboxSkills } from './servers/skills/toolbox-skills.ts';
export {
  assistantToolsSchema,
  callRecordSchema,
  promptSchema,
  resourceSchema,
  serverContentSchema,
  toolDefinitionSchema,
  transportSchema,
} from './storage/record-schemas.ts';
export { createToolbox, type Toolbox, type ToolboxEvents, type ToolboxOptions } from './toolbox.ts';
export type { ToolboxApprovals, ToolboxCalls, ToolboxCatalog, ToolboxServers } from './toolbox-types.ts';
