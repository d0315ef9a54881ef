import type { approvalAnswerSchema, approvalSchema, pinListSchema, pinSchema, ruleSchema } from './api/approvals.ts';
import type { assistantInputSchema, assistantPreviewSchema, assistantViewSchema } from './api/assistants.ts';
import type { callResultSchema, callSchema, callStatsSchema } from './api/calls.ts';
import type {
  attachmentInputSchema,
  conversationChangeSchema,
  conversationMatchSchema,
  conversationViewSchema,
  messageViewSchema,
} from './api/chat.ts';
import type { callerSchema, changeSchema } from './api/common.ts';
import type {
  modelSettingsViewSchema,
  providerInputSchema,
  providerTestSchema,
  providerViewSchema,
} from './api/models.ts';
import type { profileInputSchema, profilePreviewSchema, profileSchema } from './api/profiles.ts';
import type { questionAnswerSchema, questionSchema } from './api/questions.ts';
import type { registryPageSchema, registryPlanSchema, registryServerSchema } from './api/registry.ts';
import type { newScriptSchema, scriptSchema } from './api/scripts.ts';
import type {
  completionInputSchema,
  importedServerSchema,
  importedServersSchema,
  offeredSchema,
  serverInputSchema,
  serverRecordViewSchema,
  serverSchema,
  serverTestInputSchema,
  serverTestSchema,
  statusSchema,
} from './api/servers.ts';
import type {
  configSchema,
  healthSchema,
  keyInputSchema,
  keySchema,
  newKeySchema,
  sessionSchema,
} from './api/settings.ts';
import type { skillSchema } from './api/skills.ts';
import type { toolFormatsSchema, toolSchema, warningSchema } from './api/tools.ts';
import type { Received, ReceivedEvents, Sent } from './client.ts';
import type { ApiRoutes } from './operations.ts';
import type { modelChoiceSchema } from './records/assistant.ts';
import type {
  appPartSchema,
  attachmentPartSchema,
  messagePartSchema,
  toolCallPartSchema,
  usageSchema,
} from './records/conversation.ts';
import type { accountSchema, personalServerSchema } from './routes/accounts.ts';
import type { appSchema } from './routes/apps.ts';
import type { elevationSchema } from './routes/elevations.ts';
import type { replicaSchema } from './routes/fleet.ts';
import type { roleListSchema, roleSchema } from './routes/roles.ts';
import type { savedRequestSchema } from './routes/saved-requests.ts';
import type { signInAttemptSchema, signInSchema, signInStepSchema } from './routes/sign-ins.ts';
import type { trafficMessageSchema } from './routes/traffic.ts';
import type { userSchema } from './routes/users.ts';

export type Account = Received<typeof accountSchema>;
export type ApiKey = Received<typeof keySchema>;
export type ApiKeyInput = Sent<typeof keyInputSchema>;
export type App = Received<typeof appSchema>;
export type AppPart = Received<typeof appPartSchema>;
export type Approval = Received<typeof approvalSchema>;
export type ApprovalAnswer = Sent<typeof approvalAnswerSchema>;
export type Assistant = Received<typeof assistantViewSchema>;
export type AssistantInput = Sent<typeof assistantInputSchema>;
export type AssistantPreview = Received<typeof assistantPreviewSchema>;
export type AttachmentInput = Sent<typeof attachmentInputSchema>;
export type AttachmentPart = Received<typeof attachmentPartSchema>;
export type Call = Received<typeof callSchema>;
export type CallResult = Received<typeof callResultSchema>;
export type CallStats = Received<typeof callStatsSchema>;
export type Caller = Received<typeof callerSchema>;
export type CompletionInput = Sent<typeof completionInputSchema>;
export type Config = Received<typeof configSchema>;
export type ConnectionStatus = Received<typeof statusSchema>;
export type Conversation = Received<typeof conversationViewSchema>;
export type ConversationChange = Sent<typeof conversationChangeSchema>;
export type ConversationMatch = Received<typeof conversationMatchSchema>;
export type DefinitionChange = Received<typeof changeSchema>;
export type DefinitionWarning = Received<typeof warningSchema>;
export type Health = Received<typeof healthSchema>;
export type ImportedServer = Received<typeof importedServerSchema>;
export type ImportedServers = Received<typeof importedServersSchema>;
export type Message = Received<typeof messageViewSchema>;
export type MessagePart = Received<typeof messagePartSchema>;
export type ModelChoice = Received<typeof modelChoiceSchema>;
export type ModelSettings = Received<typeof modelSettingsViewSchema>;
export type NewApiKey = Received<typeof newKeySchema>;
export type NewScript = Sent<typeof newScriptSchema>;
export type OfferedList = Received<typeof offeredSchema>;
export type PersonalServer = Received<typeof personalServerSchema>;
export type Pin = Received<typeof pinSchema>;
export type PinList = Received<typeof pinListSchema>;
export type Profile = Received<typeof profileSchema>;
export type ProfileInput = Sent<typeof profileInputSchema>;
export type ProfilePreview = Received<typeof profilePreviewSchema>;
export type Provider = Received<typeof providerViewSchema>;
export type ProviderInput = Sent<typeof providerInputSchema>;
export type ProviderTest = Received<typeof providerTestSchema>;
export type Question = Received<typeof questionSchema>;
export type QuestionAnswer = Sent<typeof questionAnswerSchema>;
export type RegistryPage = Received<typeof registryPageSchema>;
export type RegistryPlan = Sent<typeof registryPlanSchema>;
export type RegistryServer = Received<typeof registryServerSchema>;
export type RememberedRule = Received<typeof ruleSchema>;
export type Replica = Received<typeof replicaSchema>;
export type SavedRequest = Received<typeof savedRequestSchema>;
export type Script = Received<typeof scriptSchema>;
export type Server = Received<typeof serverSchema>;
export type ServerInput = Sent<typeof serverInputSchema>;
export type ServerRecord = Received<typeof serverRecordViewSchema>;
export type ServerTest = Received<typeof serverTestSchema>;
export type Session = Received<typeof sessionSchema>;
export type ServerTestInput = Sent<typeof serverTestInputSchema>;
export type SignIn = Received<typeof signInSchema>;
export type SignInAttempt = Received<typeof signInAttemptSchema>;
export type SignInStep = Received<typeof signInStepSchema>;
export type Skill = Received<typeof skillSchema>;
export type Tool = Received<typeof toolSchema>;
export type ToolCallPart = Received<typeof toolCallPartSchema>;
export type ToolFormats = Received<typeof toolFormatsSchema>;
export type TrafficMessage = Received<typeof trafficMessageSchema>;
export type Usage = Received<typeof usageSchema>;
export type User = Received<typeof userSchema>;

/** The events of each stream, by name. */
export type GatewayEvents = ReceivedEvents<ApiRoutes['listenToEvents']>;
export type ConversationEvents = ReceivedEvents<ApiRoutes['watchConversation']>;
export type TrafficEvents = ReceivedEvents<ApiRoutes['watchTraffic']>;
export type CallChangedEvent = GatewayEvents['call.changed'];
export type CallProgressedEvent = GatewayEvents['call.progressed'];

export type Role = Received<typeof roleSchema>;
export type RoleList = Received<typeof roleListSchema>;
export type Elevation = Received<typeof elevationSchema>;
