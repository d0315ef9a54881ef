// Made by scripts/generate-api-client.mjs from the routes of the gateway. Do not edit.
export type Caller = { readonly "id": string; readonly "kind": "program" | "assistant" | "client" | "person"; readonly "name"?: string; readonly "conversation"?: string };
export type Error = { readonly "error": { readonly "code": string; readonly "message": string; readonly "data"?: Readonly<Record<string, unknown>> } };
export type DefinitionChange = { readonly "path": string; readonly "kind": "added" | "removed" | "changed"; readonly "before"?: unknown; readonly "after"?: unknown };
export type ApprovalSettings = { readonly "mode": "auto" | "always-ask" | "trusted-only"; readonly "trustedTools": readonly (string)[]; readonly "ask": readonly (string)[]; readonly "deny": readonly (string)[]; readonly "expiresMs": number };
export type Approval = { readonly "id": string; readonly "callId": string; readonly "caller": Caller; readonly "server"?: string; readonly "tool": string; readonly "originalName": string; readonly "description": string; readonly "annotations"?: Readonly<Record<string, unknown>>; readonly "arguments": Readonly<Record<string, unknown>>; readonly "argumentsHash": string; readonly "definitionHash": string; readonly "reason": string; readonly "change"?: readonly (DefinitionChange)[]; readonly "askedAt": string; readonly "expiresAt": string; readonly "status": "pending" | "allowed" | "denied" | "expired" | "used"; readonly "answer"?: { readonly "kind": "allow" | "deny"; readonly "scope"?: "once" | "conversation" | "tool" | "server"; readonly "arguments"?: Readonly<Record<string, unknown>>; readonly "reason"?: string }; readonly "answeredAt"?: string; readonly "answeredBy"?: string; readonly "mayAnswer": boolean };
export type ApprovalList = { readonly "approvals": readonly (Approval)[] };
export type RememberedRule = { readonly "id": string; readonly "scope": "conversation" | "tool" | "server"; readonly "answer": "allow" | "deny"; readonly "serverAddress"?: string; readonly "server"?: string; readonly "tool"?: string; readonly "definitionHash"?: string; readonly "conversation"?: string; readonly "createdAt": string };
export type RuleList = { readonly "rules": readonly (RememberedRule)[] };
export type Pin = { readonly "serverAddress": string; readonly "tool": string; readonly "hash": string; readonly "definition": Readonly<Record<string, unknown>>; readonly "acceptedAt": string };
export type PinList = { readonly "pins": readonly (Pin)[] };
export type ModelChoice = { readonly "provider": string; readonly "model": string };
export type Assistant = { readonly "id": string; readonly "name": string; readonly "description": string; readonly "instructions"?: string; readonly "model": ModelChoice; readonly "serverIds": readonly (string)[]; readonly "disabledTools"?: readonly (string)[]; readonly "toolApproval": "auto" | "always-ask" | "trusted-only"; readonly "trustedTools"?: readonly (string)[]; readonly "maxSteps": number; readonly "maxTokens"?: number };
export type AssistantList = { readonly "assistants": readonly (Assistant)[] };
export type AssistantPreview = { readonly "tools": readonly ({ readonly "name": string; readonly "server"?: string; readonly "originalName": string; readonly "description": string; readonly "enabled": boolean })[]; readonly "count": number; readonly "estimatedTokens": number; readonly "warning"?: string; readonly "omitted": readonly ({ readonly "name": string; readonly "reason": string })[]; readonly "missingServers": readonly ({ readonly "id": string; readonly "reason": string })[] };
export type DefinitionWarning = { readonly "rule": "hidden-characters" | "look-alike-name" | "excessive-length" | "encoded-text" | "overrides-instructions" | "hides-from-user" | "skips-approval" | "wants-secrets" | "commands-other-tools" | "sends-data-out"; readonly "severity": "high" | "medium" | "low"; readonly "where": string; readonly "excerpt": string };
export type Tool = { readonly "name": string; readonly "title"?: string; readonly "description": string; readonly "server"?: string; readonly "originalName": string; readonly "parameters": Readonly<Record<string, unknown>>; readonly "outputSchema"?: Readonly<Record<string, unknown>>; readonly "annotations"?: Readonly<Record<string, unknown>>; readonly "definitionHash": string; readonly "limits": { readonly "maxInstances": number; readonly "timeoutMs": number }; readonly "changed"?: "quarantine" | "ask"; readonly "changes"?: readonly (DefinitionChange)[]; readonly "rejected"?: boolean; readonly "warnings"?: readonly (DefinitionWarning)[] };
export type ToolList = { readonly "tools": readonly (Tool)[] };
export type Truncation = { readonly "shownBytes": number; readonly "totalBytes": number };
export type CallResult = { readonly "callId": string; readonly "isError": boolean; readonly "content": readonly (Readonly<Record<string, unknown>>)[]; readonly "text": string; readonly "structuredContent"?: unknown; readonly "truncated"?: Truncation; readonly "_meta"?: Readonly<Record<string, unknown>> };
export type ResultPage = { readonly "text": string; readonly "offset": number; readonly "totalLength": number; readonly "nextOffset"?: number };
export type Call = { readonly "id": string; readonly "server"?: string; readonly "tool": string; readonly "originalName": string; readonly "caller": Caller; readonly "parent"?: { readonly "kind": "call" | "answer"; readonly "id": string }; readonly "arguments": Readonly<Record<string, unknown>>; readonly "definitionHash": string; readonly "status": "pending" | "running" | "success" | "error"; readonly "end"?: "tool" | "denied" | "cancelled" | "timeout" | "invalid" | "unknown-outcome" | "failed"; readonly "createdAt": string; readonly "startedAt"?: string; readonly "completedAt"?: string; readonly "result"?: Readonly<Record<string, unknown>>; readonly "truncated"?: Truncation; readonly "resultOmitted"?: boolean; readonly "error"?: { readonly "code": string; readonly "message": string }; readonly "idempotencyKey"?: string };
export type CallList = { readonly "calls": readonly (Call)[]; readonly "next"?: string };
export type CallStats = { readonly "since": string; readonly "until": string; readonly "bucketMs": number; readonly "buckets": readonly ({ readonly "start": string; readonly "success": number; readonly "error": number; readonly "denied": number; readonly "invalid": number; readonly "cancelled": number; readonly "p50Ms"?: number; readonly "p95Ms"?: number })[]; readonly "totals": { readonly "calls": number; readonly "success": number; readonly "error": number; readonly "denied": number; readonly "invalid": number; readonly "cancelled": number; readonly "p50Ms"?: number; readonly "p95Ms"?: number }; readonly "tools": readonly ({ readonly "tool": string; readonly "server"?: string; readonly "originalName": string; readonly "calls": number; readonly "success": number; readonly "error": number; readonly "denied": number; readonly "invalid": number; readonly "cancelled": number; readonly "p50Ms"?: number; readonly "p95Ms"?: number })[]; readonly "truncated": boolean };
export type Usage = { readonly "inputTokens": number; readonly "outputTokens": number; readonly "estimated"?: true };
export type ToolCallPart = { readonly "type": "tool-call"; readonly "id": string; readonly "callId"?: string; readonly "name": string; readonly "tool"?: string; readonly "server"?: string; readonly "originalName"?: string; readonly "arguments": Readonly<Record<string, unknown>>; readonly "status": "waiting" | "asked" | "running" | "success" | "error" | "denied" | "cancelled" | "unknown"; readonly "approvalId"?: string; readonly "progress"?: { readonly "progress": number; readonly "total"?: number; readonly "message"?: string }; readonly "result"?: { readonly "isError": boolean; readonly "content": readonly (Readonly<Record<string, unknown>>)[]; readonly "structuredContent"?: unknown; readonly "errorCode"?: string; readonly "cut"?: true }; readonly "startedAt"?: string; readonly "completedAt"?: string; readonly "metadata"?: Readonly<Record<string, Readonly<Record<string, unknown>>>> };
export type MessagePart = { readonly "type": "text"; readonly "text": string; readonly "metadata"?: Readonly<Record<string, Readonly<Record<string, unknown>>>> } | { readonly "type": "reasoning"; readonly "text": string; readonly "metadata"?: Readonly<Record<string, Readonly<Record<string, unknown>>>> } | ToolCallPart | { readonly "type": "step" };
export type Message = { readonly "id": string; readonly "role": "user" | "assistant"; readonly "parts": readonly (MessagePart)[]; readonly "status": "streaming" | "complete" | "stopped" | "interrupted" | "limited" | "error"; readonly "problem"?: string; readonly "model"?: string; readonly "usage"?: Usage; readonly "durationMs"?: number; readonly "createdAt": string; readonly "completedAt"?: string };
export type Conversation = { readonly "id": string; readonly "title": string; readonly "assistantId": string; readonly "owner": string; readonly "profile"?: string; readonly "status": "idle" | "running" | "asking"; readonly "usage": Usage; readonly "durationMs": number; readonly "createdAt": string; readonly "updatedAt": string };
export type ConversationList = { readonly "conversations": readonly (Conversation)[] };
export type ConversationContent = { readonly "conversation": Conversation; readonly "messages": readonly (Message)[] };
export type ChatConversationEvent = { readonly "conversation": Conversation };
export type ChatMessageEvent = { readonly "message": Message };
export type ChatPartEvent = { readonly "message": string; readonly "index": number; readonly "part": MessagePart };
export type ChatTextEvent = { readonly "message": string; readonly "index": number; readonly "text": string };
export type ChatCutEvent = { readonly "message": string };
export type ChatRemovedEvent = Readonly<Record<string, never>>;
export type ImportedServer = { readonly "name": string; readonly "description"?: string; readonly "transport": "stdio" | "http" | "sse" | "auto" | "api"; readonly "command"?: string; readonly "args"?: readonly (string | { readonly "set": true })[]; readonly "env"?: Readonly<Record<string, string | { readonly "set": true }>>; readonly "cwd"?: string; readonly "url"?: string; readonly "headers"?: Readonly<Record<string, string | { readonly "set": true }>>; readonly "allowInsecure"?: boolean; readonly "authentication"?: { readonly "type": "none" } | { readonly "type": "bearer"; readonly "token": string | { readonly "set": true } } | { readonly "type": "api-key"; readonly "key": string | { readonly "set": true }; readonly "header"?: string } | { readonly "type": "basic"; readonly "username": string; readonly "password": string | { readonly "set": true } } | { readonly "type": "oauth"; readonly "clientId"?: string; readonly "clientSecret"?: string | { readonly "set": true }; readonly "scope"?: string; readonly "redirectUrl"?: string; readonly "clientMetadataUrl"?: string }; readonly "openapi"?: string; readonly "endpoints"?: readonly ({ readonly "name": string; readonly "description"?: string; readonly "method": "GET" | "POST" | "PUT" | "PATCH" | "DELETE"; readonly "path": string; readonly "query"?: readonly (string)[]; readonly "input"?: Readonly<Record<string, unknown>> })[]; readonly "timeout"?: number; readonly "retryAttempts"?: number; readonly "enabled"?: boolean };
export type ImportedServers = { readonly "servers": readonly (ImportedServer)[]; readonly "problems": readonly ({ readonly "name"?: string; readonly "message": string })[] };
export type ServerRecord = { readonly "id": string; readonly "name": string; readonly "description"?: string; readonly "transport": "stdio" | "http" | "sse" | "auto" | "api"; readonly "command"?: string; readonly "args"?: readonly (string | { readonly "set": true })[]; readonly "env"?: Readonly<Record<string, { readonly "set": true }>>; readonly "cwd"?: string; readonly "url"?: string; readonly "headers"?: Readonly<Record<string, { readonly "set": true }>>; readonly "allowInsecure": boolean; readonly "authentication": { readonly "type": "none" } | { readonly "type": "bearer"; readonly "token": { readonly "set": true } } | { readonly "type": "api-key"; readonly "key": { readonly "set": true }; readonly "header": string } | { readonly "type": "basic"; readonly "username": string; readonly "password": { readonly "set": true } } | { readonly "type": "oauth"; readonly "clientId"?: string; readonly "clientSecret"?: { readonly "set": true }; readonly "scope"?: string; readonly "redirectUrl"?: string; readonly "clientMetadataUrl"?: string }; readonly "openapi"?: string; readonly "endpoints"?: readonly ({ readonly "name": string; readonly "description"?: string; readonly "method": "GET" | "POST" | "PUT" | "PATCH" | "DELETE"; readonly "path": string; readonly "query"?: readonly (string)[]; readonly "input"?: Readonly<Record<string, unknown>> })[]; readonly "timeout": number; readonly "retryAttempts": number; readonly "enabled": boolean; readonly "lastConnectedAt"?: string; readonly "createdAt": string; readonly "updatedAt": string };
export type ConnectionStatus = { readonly "state": "disconnected" | "connecting" | "connected" | "degraded" | "error"; readonly "reason"?: string; readonly "code"?: string; readonly "signInUrl"?: string; readonly "since": string; readonly "nextTryAt"?: string; readonly "failures": number; readonly "lastConnectedAt"?: string; readonly "transport"?: "stdio" | "http" | "sse" | "api"; readonly "era"?: "legacy" | "modern"; readonly "protocolVersion"?: string; readonly "serverInfo"?: Readonly<Record<string, unknown>>; readonly "instructions"?: string; readonly "capabilities"?: Readonly<Record<string, unknown>>; readonly "pid"?: number; readonly "connectMs"?: number };
export type OfferedList = { readonly "count": number; readonly "stale": boolean; readonly "rejected": readonly ({ readonly "name": string; readonly "reason": string })[] };
export type Server = { readonly "id": string; readonly "name": string; readonly "description"?: string; readonly "source": "file" | "store"; readonly "readOnly"?: string; readonly "problem"?: string; readonly "place"?: string; readonly "transport": "stdio" | "http" | "sse" | "auto" | "api"; readonly "enabled": boolean; readonly "required": boolean; readonly "trusted": boolean; readonly "mode": "strict" | "dynamic"; readonly "status": ConnectionStatus; readonly "offers": { readonly "tools"?: OfferedList; readonly "resources"?: OfferedList; readonly "resourceTemplates"?: OfferedList; readonly "prompts"?: OfferedList }; readonly "record"?: ServerRecord };
export type ServerList = { readonly "servers": readonly (Server)[] };
export type ServerTest = { readonly "ok": boolean; readonly "latencyMs": number; readonly "transport"?: "stdio" | "http" | "sse" | "api"; readonly "era"?: "legacy" | "modern"; readonly "protocolVersion"?: string; readonly "serverInfo"?: Readonly<Record<string, unknown>>; readonly "instructions"?: string; readonly "tools": readonly ({ readonly "name": string; readonly "title"?: string; readonly "description": string; readonly "parameters": Readonly<Record<string, unknown>>; readonly "annotations"?: Readonly<Record<string, unknown>> })[]; readonly "offers": { readonly "tools"?: OfferedList; readonly "resources"?: OfferedList; readonly "resourceTemplates"?: OfferedList; readonly "prompts"?: OfferedList }; readonly "problems": readonly ({ readonly "code": string; readonly "message": string })[]; readonly "stderr": readonly (string)[] };
export type ErrorOutput = { readonly "lines": readonly (string)[] };
export type ResourceList = { readonly "resources": readonly (Readonly<Record<string, unknown>>)[]; readonly "resourceTemplates": readonly (Readonly<Record<string, unknown>>)[] };
export type PromptList = { readonly "prompts": readonly (Readonly<Record<string, unknown>>)[] };
export type ServerAnswer = Readonly<Record<string, unknown>>;
export type ApiKey = { readonly "id": string; readonly "name": string; readonly "profile"?: string; readonly "rights": readonly (string)[]; readonly "createdAt": string; readonly "lastUsedAt"?: string; readonly "revokedAt"?: string };
export type ApiKeyList = { readonly "keys": readonly (ApiKey)[] };
export type NewApiKey = { readonly "id": string; readonly "name": string; readonly "profile"?: string; readonly "rights": readonly (string)[]; readonly "createdAt": string; readonly "lastUsedAt"?: string; readonly "revokedAt"?: string; readonly "key": string };
export type Profile = { readonly "name": string; readonly "path": string; readonly "naming": "mcp" | "server__tool" | "plain"; readonly "mode": "auto" | "always-ask" | "trusted-only"; readonly "servers"?: readonly (string)[]; readonly "allow"?: readonly (string)[]; readonly "deny"?: readonly (string)[]; readonly "approval"?: ApprovalSettings };
export type ProfileList = { readonly "profiles": readonly (Profile)[] };
export type Config = { readonly "file"?: string; readonly "dialect": "native" | "squidbot" | "myai" | "bridge" | "client"; readonly "warnings": readonly (string)[]; readonly "refused"?: { readonly "at": string; readonly "message": string }; readonly "servers": readonly (string)[]; readonly "toolbox": { readonly "maxConcurrent": number; readonly "maxQueued": number; readonly "naming": "mcp" | "server__tool" | "plain"; readonly "maxResultBytes": number; readonly "approval": ApprovalSettings; readonly "tools": readonly (Readonly<Record<string, unknown>>)[]; readonly "defaultTool": { readonly "maxInstances": number; readonly "timeoutMs": number }; readonly "localToolsMustBeConfigured": boolean }; readonly "gateway": { readonly "host": string; readonly "port": number; readonly "allowedHosts": readonly (string)[]; readonly "allowedOrigins": readonly (string)[]; readonly "requireAuthentication": boolean; readonly "allowPrograms": boolean; readonly "allowPrivateAddresses": boolean; readonly "jwt"?: Readonly<Record<string, unknown>>; readonly "retention": { readonly "maxAgeMs": number; readonly "maxCalls": number }; readonly "listWaitMs": number; readonly "shutdownMs": number; readonly "webhook"?: { readonly "origin": string; readonly "secret"?: { readonly "set": true } }; readonly "tracesOrigin"?: string; readonly "database"?: { readonly "set": true } } };
export type Health = { readonly "status": "ok" | "degraded" | "stopping"; readonly "version": string; readonly "startedAt": string; readonly "servers": { readonly "total": number; readonly "connected": number; readonly "degraded": number; readonly "connecting": number; readonly "error": number; readonly "disconnected": number }; readonly "calls": { readonly "running": number; readonly "queued": number }; readonly "sessions": number; readonly "pendingApprovals": number };
export type Session = { readonly "authenticated": boolean; readonly "via"?: "admin-token" | "key" | "jwt" | "loopback"; readonly "caller"?: Caller; readonly "profile"?: string; readonly "rights": readonly ("read" | "call" | "admin")[]; readonly "mayAddPrograms": boolean; readonly "tokenFile"?: string };
export type ClientList = { readonly "clients": readonly ({ readonly "id": string; readonly "name": string; readonly "file"?: string; readonly "snippet": string; readonly "language": "json" })[] };
export type OpenApiDocument = Readonly<Record<string, unknown>>;
export type Question = { readonly "id": string; readonly "kind": "elicitation" | "sampling"; readonly "server": string; readonly "callId"?: string; readonly "tool"?: string; readonly "conversation"?: string; readonly "params": Readonly<Record<string, unknown>>; readonly "askedAt": string; readonly "expiresAt": string };
export type QuestionList = { readonly "questions": readonly (Question)[] };
export type ReadyEvent = Readonly<Record<string, never>>;
export type ResetEvent = { readonly "reason": string };
export type ServerAddedEvent = { readonly "server": string };
export type ServerUpdatedEvent = { readonly "server": string };
export type ServerRemovedEvent = { readonly "server": string };
export type ServerChangedEvent = { readonly "server": string; readonly "before": "disconnected" | "connecting" | "connected" | "degraded" | "error"; readonly "status": ConnectionStatus };
export type CatalogChangedEvent = { readonly "server"?: string; readonly "added": readonly (string)[]; readonly "removed": readonly (string)[]; readonly "changed": readonly (string)[] };
export type ToolFlaggedEvent = { readonly "tool": string; readonly "server": string; readonly "definitionHash": string; readonly "warnings": readonly (DefinitionWarning)[] };
export type ContentChangedEvent = { readonly "server": string; readonly "kind": "resources" | "resourceTemplates" | "prompts" };
export type CallChangedEvent = { readonly "id": string; readonly "server"?: string; readonly "tool": string; readonly "originalName": string; readonly "caller": Caller; readonly "status": "pending" | "running" | "success" | "error"; readonly "end"?: string; readonly "errorCode"?: string; readonly "createdAt": string; readonly "startedAt"?: string; readonly "completedAt"?: string; readonly "arguments"?: Readonly<Record<string, unknown>>; readonly "result"?: Readonly<Record<string, unknown>>; readonly "error"?: { readonly "code": string; readonly "message": string } };
export type CallProgressedEvent = { readonly "id": string; readonly "progress": number; readonly "total"?: number; readonly "message"?: string };
export type ApprovalAskedEvent = { readonly "id": string; readonly "callId": string; readonly "server"?: string; readonly "tool": string; readonly "caller": Caller; readonly "reason": string; readonly "askedAt": string; readonly "expiresAt": string; readonly "arguments"?: Readonly<Record<string, unknown>> };
export type ApprovalAnsweredEvent = { readonly "id": string; readonly "callId": string; readonly "server"?: string; readonly "tool": string; readonly "caller": Caller; readonly "answer": "allow" | "deny"; readonly "scope"?: "once" | "conversation" | "tool" | "server" };
export type ApprovalWithdrawnEvent = { readonly "id": string; readonly "callId": string; readonly "server"?: string; readonly "tool": string; readonly "caller": Caller; readonly "reason": string };
export type QuestionAskedEvent = { readonly "id": string; readonly "kind": "elicitation" | "sampling"; readonly "server": string; readonly "callId"?: string; readonly "tool"?: string; readonly "conversation"?: string; readonly "params"?: Readonly<Record<string, unknown>>; readonly "askedAt": string; readonly "expiresAt": string };
export type QuestionAnsweredEvent = { readonly "id": string; readonly "callId"?: string; readonly "conversation"?: string; readonly "action": "accept" | "decline" | "cancel" | "withdrawn" };
export type ConversationChangedEvent = { readonly "id": string; readonly "title": string; readonly "status": "idle" | "running" | "asking"; readonly "updatedAt": string };
export type ConversationRemovedEvent = { readonly "id": string };
export type ConfigAppliedEvent = { readonly "added": readonly (string)[]; readonly "removed": readonly (string)[]; readonly "changed": readonly (string)[] };
export type ConfigRefusedEvent = { readonly "message": string };
export type Provider = { readonly "id": string; readonly "name": string; readonly "kind": "openai" | "anthropic" | "google" | "openai-compatible" | "demo"; readonly "source": "store" | "environment" | "built-in"; readonly "baseUrl"?: string; readonly "allowInsecure"?: boolean; readonly "apiKey"?: { readonly "set": true } };
export type ProviderList = { readonly "providers": readonly (Provider)[] };
export type Model = { readonly "id": string; readonly "name"?: string };
export type ModelList = { readonly "models": readonly (Model)[] };
export type ProviderTest = { readonly "ok": boolean; readonly "latencyMs": number; readonly "models": readonly (Model)[]; readonly "problem"?: string };
export type RegistryServer = { readonly "name": string; readonly "title"?: string; readonly "description": string; readonly "version": string; readonly "status": "active" | "deprecated" | "deleted"; readonly "repository"?: string; readonly "website"?: string; readonly "ways": readonly ({ readonly "kind": "program" | "address"; readonly "label": string; readonly "inputs": readonly ({ readonly "key": string; readonly "description"?: string; readonly "isRequired": boolean; readonly "isSecret": boolean; readonly "default"?: string; readonly "placeholder"?: string; readonly "choices"?: readonly (string)[] })[] })[]; readonly "unusable": readonly ({ readonly "what": string; readonly "reason": string })[] };
export type RegistryPage = { readonly "registry": string; readonly "servers": readonly (RegistryServer)[]; readonly "nextCursor"?: string };
export type ToolFormats = { readonly "mcp": Readonly<Record<string, unknown>>; readonly "openai"?: Readonly<Record<string, unknown>>; readonly "anthropic"?: Readonly<Record<string, unknown>>; readonly "gemini"?: Readonly<Record<string, unknown>>; readonly "omitted": readonly ({ readonly "format": "openai" | "anthropic" | "gemini"; readonly "reason": string })[] };
export type ApprovalAnswer = { readonly "answer": "allow"; readonly "scope"?: "once" | "conversation" | "tool" | "server"; readonly "arguments"?: Readonly<Record<string, unknown>> } | { readonly "answer": "deny"; readonly "scope"?: "once" | "conversation" | "tool" | "server"; readonly "reason"?: string };
export type AcceptInput = { readonly "definitionHash": string };
export type RejectInput = { readonly "definitionHash": string };
export type AssistantInput = { readonly "name": string; readonly "description"?: string; readonly "instructions"?: string; readonly "model"?: { readonly "provider": string; readonly "model": string }; readonly "serverIds"?: readonly (string)[]; readonly "disabledTools"?: readonly (string)[]; readonly "toolApproval"?: "auto" | "always-ask" | "trusted-only"; readonly "trustedTools"?: readonly (string)[]; readonly "maxSteps"?: number; readonly "maxTokens"?: number };
export type CallInput = { readonly "arguments"?: Readonly<Record<string, unknown>>; readonly "idempotencyKey"?: string; readonly "callId"?: string };
export type ConversationInput = { readonly "assistantId"?: string; readonly "title"?: string };
export type ConversationChange = { readonly "title"?: string; readonly "assistantId"?: string };
export type MessageInput = { readonly "text": string };
export type ServerInput = { readonly "name": string; readonly "description"?: string; readonly "transport": "stdio" | "http" | "sse" | "auto" | "api"; readonly "command"?: string; readonly "args"?: readonly (string | { readonly "set": true })[]; readonly "env"?: Readonly<Record<string, string | { readonly "set": true }>>; readonly "cwd"?: string; readonly "url"?: string; readonly "headers"?: Readonly<Record<string, string | { readonly "set": true }>>; readonly "allowInsecure"?: boolean; readonly "authentication"?: { readonly "type": "none" } | { readonly "type": "bearer"; readonly "token": string | { readonly "set": true } } | { readonly "type": "api-key"; readonly "key": string | { readonly "set": true }; readonly "header"?: string } | { readonly "type": "basic"; readonly "username": string; readonly "password": string | { readonly "set": true } } | { readonly "type": "oauth"; readonly "clientId"?: string; readonly "clientSecret"?: string | { readonly "set": true }; readonly "scope"?: string; readonly "redirectUrl"?: string; readonly "clientMetadataUrl"?: string }; readonly "openapi"?: string; readonly "endpoints"?: readonly ({ readonly "name": string; readonly "description"?: string; readonly "method"?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"; readonly "path": string; readonly "query"?: readonly (string)[]; readonly "input"?: Readonly<Record<string, unknown>> })[]; readonly "timeout"?: number; readonly "retryAttempts"?: number; readonly "enabled"?: boolean };
export type ServerTestInput = { readonly "name": string; readonly "description"?: string; readonly "transport": "stdio" | "http" | "sse" | "auto" | "api"; readonly "command"?: string; readonly "args"?: readonly (string | { readonly "set": true })[]; readonly "env"?: Readonly<Record<string, string | { readonly "set": true }>>; readonly "cwd"?: string; readonly "url"?: string; readonly "headers"?: Readonly<Record<string, string | { readonly "set": true }>>; readonly "allowInsecure"?: boolean; readonly "authentication"?: { readonly "type": "none" } | { readonly "type": "bearer"; readonly "token": string | { readonly "set": true } } | { readonly "type": "api-key"; readonly "key": string | { readonly "set": true }; readonly "header"?: string } | { readonly "type": "basic"; readonly "username": string; readonly "password": string | { readonly "set": true } } | { readonly "type": "oauth"; readonly "clientId"?: string; readonly "clientSecret"?: string | { readonly "set": true }; readonly "scope"?: string; readonly "redirectUrl"?: string; readonly "clientMetadataUrl"?: string }; readonly "openapi"?: string; readonly "endpoints"?: readonly ({ readonly "name": string; readonly "description"?: string; readonly "method"?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"; readonly "path": string; readonly "query"?: readonly (string)[]; readonly "input"?: Readonly<Record<string, unknown>> })[]; readonly "timeout"?: number; readonly "retryAttempts"?: number; readonly "enabled"?: boolean; readonly "server"?: string };
export type ImportInput = { readonly "text": string };
export type PromptArguments = { readonly "arguments"?: Readonly<Record<string, string>> };
export type CompletionInput = { readonly "ref": { readonly "type": "ref/prompt"; readonly "name": string; readonly "title"?: string } | { readonly "type": "ref/resource"; readonly "uri": string }; readonly "argument": { readonly "name": string; readonly "value": string }; readonly "context"?: { readonly "arguments"?: Readonly<Record<string, string>> } };
export type ApiKeyInput = { readonly "name": string; readonly "profile"?: string; readonly "rights"?: readonly ("read" | "call" | "admin")[] };
export type QuestionAnswer = { readonly "action": "accept" | "decline" | "cancel"; readonly "content"?: Readonly<Record<string, unknown>> };
export type ProviderInput = { readonly "name": string; readonly "kind": "openai" | "anthropic" | "google" | "openai-compatible"; readonly "baseUrl"?: string; readonly "allowInsecure"?: boolean; readonly "apiKey"?: string | { readonly "set": true } };
export type ProviderTestInput = { readonly "name": string; readonly "kind": "openai" | "anthropic" | "google" | "openai-compatible"; readonly "baseUrl"?: string; readonly "allowInsecure"?: boolean; readonly "apiKey"?: string | { readonly "set": true }; readonly "provider"?: string };
export type RegistryPlan = { readonly "name": string; readonly "version"?: string; readonly "way": number; readonly "values"?: Readonly<Record<string, string>>; readonly "as"?: string };
/** What GET /api/conversations/{conversation}/events streams, by the event's name. */
export interface WatchConversationStream { readonly "snapshot": ConversationContent; readonly "conversation": ChatConversationEvent; readonly "message": ChatMessageEvent; readonly "part": ChatPartEvent; readonly "text": ChatTextEvent; readonly "cut": ChatCutEvent; readonly "removed": ChatRemovedEvent }
/** What GET /api/events streams, by the event's name. */
export interface ListenToEventsStream { readonly "ready": ReadyEvent; readonly "reset": ResetEvent; readonly "server.added": ServerAddedEvent; readonly "server.updated": ServerUpdatedEvent; readonly "server.removed": ServerRemovedEvent; readonly "server.changed": ServerChangedEvent; readonly "catalog.changed": CatalogChangedEvent; readonly "tool.flagged": ToolFlaggedEvent; readonly "content.changed": ContentChangedEvent; readonly "call.changed": CallChangedEvent; readonly "call.progressed": CallProgressedEvent; readonly "approval.asked": ApprovalAskedEvent; readonly "approval.answered": ApprovalAnsweredEvent; readonly "approval.withdrawn": ApprovalWithdrawnEvent; readonly "question.asked": QuestionAskedEvent; readonly "question.answered": QuestionAnsweredEvent; readonly "conversation.changed": ConversationChangedEvent; readonly "conversation.removed": ConversationRemovedEvent; readonly "config.applied": ConfigAppliedEvent; readonly "config.refused": ConfigRefusedEvent }

export interface ApiOptions {
  /** Where the gateway is; default: where the page came from. */
  readonly baseUrl?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What the gateway answered instead of a result. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: string;
  readonly status: number;
  readonly data: unknown;

  constructor(status: number, code: string, message: string, data?: unknown) {
    super(message);
    this.status = status;
    this.code = code;
    this.data = data;
  }
}

interface Sent {
  readonly path?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

function createSender({ baseUrl = '', headers = {} }: ApiOptions) {
  return async <Answer>(method: string, template: string, { path = {}, query = {}, body, signal }: Sent): Promise<Answer> => {
    const place = template.replace(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(String(path[name])));
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) if (value !== undefined) search.append(name, String(value));
    const response = await fetch(`${baseUrl}${place}${search.size > 0 ? `?${search}` : ''}`, {
      method,
      headers: { 'x-toolwharf': 'app', ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
    const text = await response.text();
    const answer: unknown = text === '' ? undefined : JSON.parse(text);
    if (response.ok) return answer as Answer;
    const { error } = (answer ?? {}) as { error?: { code?: string; message?: string; data?: unknown } };
    throw new ApiError(response.status, error?.code ?? 'INTERNAL', error?.message ?? response.statusText, error?.data);
  };
}

/** Every operation of the API. */
export function createApi(options: ApiOptions = {}) {
  const send = createSender(options);
  return {
    /** Every server and how it is doing. */
    listServers: (input: { readonly signal?: AbortSignal } = {}) =>
      send<ServerList>('GET', "/api/servers", input),
    /** Stores a server and connects it. It stays, and is tried again, when it can not be reached. */
    addServer: (input: { readonly body: ServerInput; readonly signal?: AbortSignal }) =>
      send<Server>('POST', "/api/servers", input),
    /** Tries a server out without storing it: whether it can be reached, how fast, what it offers, what is wrong. */
    testServer: (input: { readonly body: ServerTestInput; readonly signal?: AbortSignal }) =>
      send<ServerTest>('POST', "/api/servers/test", input),
    /** Reads the servers out of a copied configuration of an MCP client. Nothing is stored. */
    importServers: (input: { readonly body: ImportInput; readonly signal?: AbortSignal }) =>
      send<ImportedServers>('POST', "/api/servers/import", input),
    /** One server and how it is doing. */
    getServer: (input: { readonly path: { readonly "server": string }; readonly signal?: AbortSignal }) =>
      send<Server>('GET', "/api/servers/{server}", input),
    /** Replaces a stored server and connects it anew. A masked secret keeps what is stored. */
    updateServer: (input: { readonly path: { readonly "server": string }; readonly body: ServerInput; readonly signal?: AbortSignal }) =>
      send<Server>('PUT', "/api/servers/{server}", input),
    /** Ends a stored server and forgets it. */
    removeServer: (input: { readonly path: { readonly "server": string }; readonly signal?: AbortSignal }) =>
      send<void>('DELETE', "/api/servers/{server}", input),
    /** Has a stored server used again. */
    enableServer: (input: { readonly path: { readonly "server": string }; readonly signal?: AbortSignal }) =>
      send<Server>('POST', "/api/servers/{server}/enable", input),
    /** Keeps a stored server without using it. */
    disableServer: (input: { readonly path: { readonly "server": string }; readonly signal?: AbortSignal }) =>
      send<Server>('POST', "/api/servers/{server}/disable", input),
    /** Connects a server, and keeps it connected. Answers when it is, or with why it is not. */
    connectServer: (input: { readonly path: { readonly "server": string }; readonly signal?: AbortSignal }) =>
      send<Server>('POST', "/api/servers/{server}/connect", input),
    /** Ends the connection and takes its tools away, until it is connected again or the gateway starts anew. */
    disconnectServer: (input: { readonly path: { readonly "server": string }; readonly signal?: AbortSignal }) =>
      send<Server>('POST', "/api/servers/{server}/disconnect", input),
    /** Asks a server for its tools again. */
    refreshServer: (input: { readonly path: { readonly "server": string }; readonly signal?: AbortSignal }) =>
      send<Server>('POST', "/api/servers/{server}/refresh", input),
    /** The last lines of a program's error output, its secrets hidden. */
    getServerErrorOutput: (input: { readonly path: { readonly "server": string }; readonly signal?: AbortSignal }) =>
      send<ErrorOutput>('GET', "/api/servers/{server}/stderr", input),
    /** The resources and resource templates of a server, as it sent them. */
    listResources: (input: { readonly path: { readonly "server": string }; readonly signal?: AbortSignal }) =>
      send<ResourceList>('GET', "/api/servers/{server}/resources", input),
    /** Reads a resource of a server. */
    readResource: (input: { readonly path: { readonly "server": string }; readonly query: { readonly "uri": string }; readonly signal?: AbortSignal }) =>
      send<ServerAnswer>('GET', "/api/servers/{server}/resources/read", input),
    /** The prompts of a server, as it sent them. */
    listPrompts: (input: { readonly path: { readonly "server": string }; readonly signal?: AbortSignal }) =>
      send<PromptList>('GET', "/api/servers/{server}/prompts", input),
    /** Gets a prompt, filled in with arguments. */
    getPrompt: (input: { readonly path: { readonly "server": string; readonly "prompt": string }; readonly body: PromptArguments; readonly signal?: AbortSignal }) =>
      send<ServerAnswer>('POST', "/api/servers/{server}/prompts/{prompt}", input),
    /** Suggestions for an argument of a prompt or of a resource template. */
    complete: (input: { readonly path: { readonly "server": string }; readonly body: CompletionInput; readonly signal?: AbortSignal }) =>
      send<ServerAnswer>('POST', "/api/servers/{server}/completions", input),
    /** Servers of the registry whose name has these words in it, each in its newest version. */
    searchRegistry: (input: { readonly query?: { readonly "search"?: string; readonly "cursor"?: string; readonly "limit"?: number }; readonly signal?: AbortSignal } = {}) =>
      send<RegistryPage>('GET', "/api/registry/servers", input),
    /** One server of the registry. */
    getRegistryServer: (input: { readonly path: { readonly "name": string }; readonly query?: { readonly "version"?: string }; readonly signal?: AbortSignal }) =>
      send<RegistryServer>('GET', "/api/registry/servers/{name}", input),
    /** What a server of the registry would be here, with what was filled in. Nothing is stored. */
    planRegistryServer: (input: { readonly body: RegistryPlan; readonly signal?: AbortSignal }) =>
      send<ImportedServer>('POST', "/api/registry/plan", input),
    /** Every tool with its schema, limits and what changed since it was accepted. */
    listTools: (input: { readonly query?: { readonly "server"?: string; readonly "changed"?: "true" }; readonly signal?: AbortSignal } = {}) =>
      send<ToolList>('GET', "/api/tools", input),
    /** The tools of one server. */
    listServerTools: (input: { readonly path: { readonly "server": string }; readonly signal?: AbortSignal }) =>
      send<ToolList>('GET', "/api/servers/{server}/tools", input),
    /** One tool. */
    getTool: (input: { readonly path: { readonly "tool": string }; readonly signal?: AbortSignal }) =>
      send<Tool>('GET', "/api/tools/{tool}", input),
    /** Calls a tool and answers with its result. Where a person is asked first, it waits for the answer. */
    callTool: (input: { readonly path: { readonly "tool": string }; readonly body: CallInput; readonly signal?: AbortSignal }) =>
      send<CallResult>('POST', "/api/tools/{tool}/call", input),
    /** Accepts the changed definition of a tool: the one that was looked at, and no later one. */
    acceptToolChange: (input: { readonly path: { readonly "tool": string }; readonly body: AcceptInput; readonly signal?: AbortSignal }) =>
      send<Tool>('POST', "/api/tools/{tool}/accept", input),
    /** Refuses the changed definition of a tool for good: the tool is denied until the change is accepted. */
    rejectToolChange: (input: { readonly path: { readonly "tool": string }; readonly body: RejectInput; readonly signal?: AbortSignal }) =>
      send<Tool>('POST', "/api/tools/{tool}/reject", input),
    /** The definition of a tool as MCP and as the providers of models take it, under the name it is called by. */
    getToolFormats: (input: { readonly path: { readonly "tool": string }; readonly signal?: AbortSignal }) =>
      send<ToolFormats>('GET', "/api/tools/{tool}/formats", input),
    /** Calls, newest first, without their results. Others than administrators see their own. */
    listCalls: (input: { readonly query?: { readonly "server"?: string; readonly "tool"?: string; readonly "status"?: "pending" | "running" | "success" | "error"; readonly "caller"?: string; readonly "parent"?: string; readonly "since"?: string; readonly "until"?: string; readonly "before"?: string; readonly "limit"?: number }; readonly signal?: AbortSignal } = {}) =>
      send<CallList>('GET', "/api/calls", input),
    /** How many calls there were, how they ended and how long they took. Others than administrators see their own. */
    getCallStats: (input: { readonly query?: { readonly "since"?: string; readonly "until"?: string; readonly "buckets"?: number }; readonly signal?: AbortSignal } = {}) =>
      send<CallStats>('GET', "/api/calls/stats", input),
    /** One call with its result. */
    getCall: (input: { readonly path: { readonly "call": string }; readonly signal?: AbortSignal }) =>
      send<Call>('GET', "/api/calls/{call}", input),
    /** A part of a result that was too big to hand out whole, as JSON text. */
    readCallResult: (input: { readonly path: { readonly "call": string }; readonly query?: { readonly "offset"?: number; readonly "length"?: number }; readonly signal?: AbortSignal }) =>
      send<ResultPage>('GET', "/api/calls/{call}/result", input),
    /** Ends a call of this API or of an assistant that has not ended yet. Answers when it has. */
    cancelCall: (input: { readonly path: { readonly "call": string }; readonly signal?: AbortSignal }) =>
      send<void>('POST', "/api/calls/{call}/cancel", input),
    /** Questions to a person, newest first. Others than administrators see those about their own calls and conversations. */
    listApprovals: (input: { readonly query?: { readonly "status"?: "pending" | "allowed" | "denied" | "expired" | "used"; readonly "caller"?: string; readonly "limit"?: number }; readonly signal?: AbortSignal } = {}) =>
      send<ApprovalList>('GET', "/api/approvals", input),
    /** One question, and its answer if there is one. */
    getApproval: (input: { readonly path: { readonly "approval": string }; readonly signal?: AbortSignal }) =>
      send<Approval>('GET', "/api/approvals/{approval}", input),
    /** Answers a question. The first answer counts. Others than administrators answer for the assistant in a conversation of theirs, never for their own calls. */
    answerApproval: (input: { readonly path: { readonly "approval": string }; readonly body: ApprovalAnswer; readonly signal?: AbortSignal }) =>
      send<Approval>('POST', "/api/approvals/{approval}/answer", input),
    /** Answers that are remembered for further calls. */
    listRules: (input: { readonly signal?: AbortSignal } = {}) =>
      send<RuleList>('GET', "/api/rules", input),
    /** Forgets a remembered answer. */
    revokeRule: (input: { readonly path: { readonly "rule": string }; readonly signal?: AbortSignal }) =>
      send<void>('DELETE', "/api/rules/{rule}", input),
    /** The accepted definition of every tool. What changed since is in the list of tools. */
    listPins: (input: { readonly signal?: AbortSignal } = {}) =>
      send<PinList>('GET', "/api/pins", input),
    /** What servers ask in the middle of calls over this API and of assistants, oldest first. Others than administrators see questions of their own calls and conversations. */
    listQuestions: (input: { readonly signal?: AbortSignal } = {}) =>
      send<QuestionList>('GET', "/api/questions", input),
    /** Answers a question of a server. The first answer counts. */
    answerQuestion: (input: { readonly path: { readonly "question": string }; readonly body: QuestionAnswer; readonly signal?: AbortSignal }) =>
      send<void>('POST', "/api/questions/{question}/answer", input),
    /** Conversations, latest change first. Others than administrators see their own. */
    listConversations: (input: { readonly query?: { readonly "limit"?: number }; readonly signal?: AbortSignal } = {}) =>
      send<ConversationList>('GET', "/api/conversations", input),
    /** Begins a conversation with an assistant. */
    createConversation: (input: { readonly body: ConversationInput; readonly signal?: AbortSignal }) =>
      send<Conversation>('POST', "/api/conversations", input),
    /** One conversation with all its messages. */
    getConversation: (input: { readonly path: { readonly "conversation": string }; readonly signal?: AbortSignal }) =>
      send<ConversationContent>('GET', "/api/conversations/{conversation}", input),
    /** Gives a conversation another title or another assistant. */
    updateConversation: (input: { readonly path: { readonly "conversation": string }; readonly body: ConversationChange; readonly signal?: AbortSignal }) =>
      send<Conversation>('PUT', "/api/conversations/{conversation}", input),
    /** Ends what is being answered, and forgets the conversation. */
    removeConversation: (input: { readonly path: { readonly "conversation": string }; readonly signal?: AbortSignal }) =>
      send<void>('DELETE', "/api/conversations/{conversation}", input),
    /** Says something, and answers with the beginning of the answer. What is being answered ends first; its questions are denied. */
    sendMessage: (input: { readonly path: { readonly "conversation": string }; readonly body: MessageInput; readonly signal?: AbortSignal }) =>
      send<Message>('POST', "/api/conversations/{conversation}/messages", input),
    /** Ends what is being answered. Answers when it has ended. */
    stopConversation: (input: { readonly path: { readonly "conversation": string }; readonly signal?: AbortSignal }) =>
      send<void>('POST', "/api/conversations/{conversation}/stop", input),
    /** Goes on with an answer that was stopped, interrupted, limited or failed. */
    resumeConversation: (input: { readonly path: { readonly "conversation": string }; readonly signal?: AbortSignal }) =>
      send<Message>('POST', "/api/conversations/{conversation}/resume", input),
    /** Answers once more: this answer and all that came after it are gone. */
    retryMessage: (input: { readonly path: { readonly "conversation": string; readonly "message": string }; readonly signal?: AbortSignal }) =>
      send<Message>('POST', "/api/conversations/{conversation}/messages/{message}/retry", input),
    /** Says something else instead of what a person said: all after it is gone, and it is answered anew. */
    editMessage: (input: { readonly path: { readonly "conversation": string; readonly "message": string }; readonly body: MessageInput; readonly signal?: AbortSignal }) =>
      send<Message>('POST', "/api/conversations/{conversation}/messages/{message}/edit", input),
    /** Every assistant with its model and tool settings. */
    listAssistants: (input: { readonly signal?: AbortSignal } = {}) =>
      send<AssistantList>('GET', "/api/assistants", input),
    /** Which tools such an assistant gets, and what they cost. Nothing is stored. */
    previewAssistant: (input: { readonly body: AssistantInput; readonly signal?: AbortSignal }) =>
      send<AssistantPreview>('POST', "/api/assistants/preview", input),
    /** One assistant with its model and tool settings. */
    getAssistant: (input: { readonly path: { readonly "assistant": string }; readonly signal?: AbortSignal }) =>
      send<Assistant>('GET', "/api/assistants/{assistant}", input),
    /** Adds an assistant, or replaces the one of that id. */
    putAssistant: (input: { readonly path: { readonly "assistant": string }; readonly body: AssistantInput; readonly signal?: AbortSignal }) =>
      send<Assistant>('PUT', "/api/assistants/{assistant}", input),
    /** Forgets an assistant. */
    removeAssistant: (input: { readonly path: { readonly "assistant": string }; readonly signal?: AbortSignal }) =>
      send<void>('DELETE', "/api/assistants/{assistant}", input),
    /** Where models are run: the stored providers, those that the environment has a key for, and the demo. */
    listProviders: (input: { readonly signal?: AbortSignal } = {}) =>
      send<ProviderList>('GET', "/api/providers", input),
    /** Stores a provider of models. Its key is sealed. */
    addProvider: (input: { readonly body: ProviderInput; readonly signal?: AbortSignal }) =>
      send<Provider>('POST', "/api/providers", input),
    /** Tries a provider out without storing it: whether it answers, how fast, and which models it has. */
    testProvider: (input: { readonly body: ProviderTestInput; readonly signal?: AbortSignal }) =>
      send<ProviderTest>('POST', "/api/providers/test", input),
    /** Replaces a stored provider. A masked key keeps what is stored. */
    updateProvider: (input: { readonly path: { readonly "provider": string }; readonly body: ProviderInput; readonly signal?: AbortSignal }) =>
      send<Provider>('PUT', "/api/providers/{provider}", input),
    /** Forgets a stored provider and its key. */
    removeProvider: (input: { readonly path: { readonly "provider": string }; readonly signal?: AbortSignal }) =>
      send<void>('DELETE', "/api/providers/{provider}", input),
    /** The models of a provider, as it lists them. */
    listModels: (input: { readonly path: { readonly "provider": string }; readonly signal?: AbortSignal }) =>
      send<ModelList>('GET', "/api/providers/{provider}/models", input),
    /** The profiles that whoever asks may use. */
    listProfiles: (input: { readonly signal?: AbortSignal } = {}) =>
      send<ProfileList>('GET', "/api/profiles", input),
    /** How each known MCP client is told of this gateway. */
    listClients: (input: { readonly query?: { readonly "profile"?: string }; readonly signal?: AbortSignal } = {}) =>
      send<ClientList>('GET', "/api/clients", input),
    /** The configuration in use, without its secrets: which file, what it says, what is odd about it. */
    getConfig: (input: { readonly signal?: AbortSignal } = {}) =>
      send<Config>('GET', "/api/config", input),
    /** How the gateway and its servers are doing. */
    getHealth: (input: { readonly signal?: AbortSignal } = {}) =>
      send<Health>('GET', "/api/health", input),
    /** Every API key, revoked ones too; never the keys themselves. */
    listKeys: (input: { readonly signal?: AbortSignal } = {}) =>
      send<ApiKeyList>('GET', "/api/keys", input),
    /** Makes an API key and shows it this once. */
    createKey: (input: { readonly body: ApiKeyInput; readonly signal?: AbortSignal }) =>
      send<NewApiKey>('POST', "/api/keys", input),
    /** Ends a key at once. */
    revokeKey: (input: { readonly path: { readonly "key": string }; readonly signal?: AbortSignal }) =>
      send<void>('DELETE', "/api/keys/{key}", input),
    /** Who the gateway thinks you are, and what you may do. */
    getSession: (input: { readonly signal?: AbortSignal } = {}) =>
      send<Session>('GET', "/api/session", input),
    /** Opens a session of the app for the bearer of the admin token or of a key: sets a cookie that no script can read. */
    openSession: (input: { readonly signal?: AbortSignal } = {}) =>
      send<Session>('POST', "/api/session", input),
    /** Ends the session of the app and takes its cookie away. */
    closeSession: (input: { readonly signal?: AbortSignal } = {}) =>
      send<void>('DELETE', "/api/session", input),
    /** This description of the API, as OpenAPI 3.1. */
    getOpenApiDocument: (input: { readonly signal?: AbortSignal } = {}) =>
      send<OpenApiDocument>('GET', "/api/openapi.json", input),
  };
}
export type Api = ReturnType<typeof createApi>;
