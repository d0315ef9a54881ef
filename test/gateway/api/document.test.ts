import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { errorStatus } from '../../../packages/contract/errors.ts';
import { isObject, type JsonObject } from '../../../packages/contract/json.ts';
import { apiRoutes } from '../../../packages/contract/routes/api-routes.ts';
import { toOpenApi } from '../../../packages/gateway/core/rest/openapi.ts';
import { allRoutes } from '../../../packages/gateway/features/all-routes.ts';
import { toMarkdown } from '../../support/api-docs.ts';
import { root } from '../../support/imports.ts';

const document = toOpenApi(allRoutes);
const paths = document.paths as Readonly<Record<string, Readonly<Record<string, JsonObject>>>>;
const { schemas } = document.components as { readonly schemas: Readonly<Record<string, JsonObject>> };

describe('the OpenAPI document', () => {
  test.each(allRoutes)(
    'the OpenAPI document contains $operationId with its right, its response and its errors',
    (route) => {
      const operation = paths[route.path]?.[route.method] as JsonObject;
      expect(operation).toMatchObject({
        operationId: route.operationId,
        'x-right': route.right,
        summary: route.summary,
      });
      const responses = operation.responses as JsonObject;
      const good = Object.keys(responses).filter((status) => status.startsWith('2'));
      expect(good).toEqual([String(route.status ?? (route.answer || route.streams || route.files ? 200 : 204))]);
      for (const code of route.errors ?? []) expect(JSON.stringify(responses[errorStatus[code]])).toContain(code);
      const inPath = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const parameters = ((operation.parameters ?? []) as readonly JsonObject[]).filter(
        ({ in: location }) => location === 'path',
      );
      expect(parameters.map(({ name }) => name)).toEqual(inPath);
      expect(parameters.every(({ required }) => required)).toBe(true);
    },
  );

  test('the OpenAPI document contains exactly the routes, with unique operation ids', () => {
    const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
    expect(operations).toHaveLength(allRoutes.length);
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(allRoutes.length);
  });

  test('the gateway implements exactly the routes of the contract', () => {
    expect(allRoutes.map(({ operationId }) => operationId).sort()).toEqual(Object.keys(apiRoutes).sort());
    for (const { access: _access, handle: _handle, ...definition } of allRoutes)
      expect(definition).toEqual(apiRoutes[definition.operationId as keyof typeof apiRoutes]);
  });

  test('the OpenAPI document refers only to existing schemas and contains no unused ones', () => {
    const refs = new Set(
      [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name ?? ''),
    );
    expect([...refs].filter((name) => !Object.hasOwn(schemas, name))).toEqual([]);
    expect(Object.keys(schemas).filter((name) => !refs.has(name))).toEqual([]);
  });

  test('the OpenAPI document is plain JSON of version 3.1', () => {
    expect(document.openapi).toBe('3.1.0');
    expect(JSON.parse(JSON.stringify(document))).toEqual(document);
  });

  test('the OpenAPI document has response schemas without additional properties', () => {
    const open = Object.entries(schemas).filter(
      ([, schema]) => isObject(schema.properties) && schema.additionalProperties !== false,
    );
    expect(open.map(([name]) => name)).toEqual([]);
  });

  // Names of generated clients: a change breaks them.
  test('the OpenAPI document has stable operation ids', () => {
    expect(allRoutes.map(({ operationId }) => operationId).sort()).toMatchInlineSnapshot(`
      [
        "acceptSandbox",
        "acceptServer",
        "acceptSkillChange",
        "acceptToolChange",
        "addProvider",
        "addServer",
        "answerApproval",
        "answerApprovalLink",
        "answerApprovals",
        "answerQuestion",
        "callTool",
        "callToolForApp",
        "cancelCall",
        "changeAccount",
        "clearTraffic",
        "closeSession",
        "complete",
        "connectAccount",
        "connectServer",
        "countDecisions",
        "createConversation",
        "createKey",
        "createPolicyRule",
        "createProfile",
        "createScript",
        "disableServer",
        "disableUser",
        "disconnectAccount",
        "disconnectServer",
        "editMessage",
        "enableServer",
        "enableUser",
        "explainCall",
        "exportConversation",
        "forgetAnswer",
        "getApproval",
        "getApprovalLink",
        "getAssistant",
        "getAttachment",
        "getAuditState",
        "getCall",
        "getCallStats",
        "getConfig",
        "getConversation",
        "getFleet",
        "getHealth",
        "getOpenApiDocument",
        "getPolicy",
        "getProfile",
        "getPrompt",
        "getRegistryServer",
        "getSandbox",
        "getScript",
        "getServer",
        "getServerErrorOutput",
        "getSession",
        "getSignIn",
        "getTool",
        "getToolFormats",
        "getTraffic",
        "importServers",
        "learnSandbox",
        "listAccounts",
        "listApprovals",
        "listAssistants",
        "listAuditEntries",
        "listBudgets",
        "listCalls",
        "listClients",
        "listConversations",
        "listKeys",
        "listModelSettings",
        "listModels",
        "listPins",
        "listProfiles",
        "listPrompts",
        "listProviders",
        "listQuestions",
        "listResources",
        "listRules",
        "listSandboxes",
        "listSavedRequests",
        "listScripts",
        "listServerTools",
        "listServers",
        "listSkills",
        "listTools",
        "listUsers",
        "listenToEvents",
        "openApp",
        "openSession",
        "overrideTool",
        "planRegistryServer",
        "previewAssistant",
        "previewProfile",
        "proposeRules",
        "putAssistant",
        "putModelSettings",
        "readCallResult",
        "readResource",
        "readSkill",
        "recordTraffic",
        "refreshServer",
        "rejectToolChange",
        "removeAssistant",
        "removeConversation",
        "removePolicyRule",
        "removeProfile",
        "removeProvider",
        "removeSavedRequest",
        "removeScript",
        "removeServer",
        "removeUser",
        "replayPolicy",
        "reportTools",
        "resumeConversation",
        "retryMessage",
        "revokeKey",
        "revokeRule",
        "saveRequest",
        "searchConversations",
        "searchRegistry",
        "selectMessage",
        "sendMessage",
        "setServerToken",
        "signOut",
        "stopConversation",
        "switchTools",
        "testProvider",
        "testServer",
        "tryCondition",
        "updateConversation",
        "updatePolicyRule",
        "updateProfile",
        "updateProvider",
        "updateSavedRequest",
        "updateScript",
        "updateServer",
        "verifyAudit",
        "watchConversation",
        "watchTraffic",
      ]
    `);
    expect(Object.keys(schemas).sort()).toMatchInlineSnapshot(`
      [
        "AcceptInput",
        "AcceptSkill",
        "Account",
        "AccountChange",
        "AccountInput",
        "AccountList",
        "AliveEvent",
        "ApiKey",
        "ApiKeyInput",
        "ApiKeyList",
        "App",
        "AppCallInput",
        "AppPart",
        "AppText",
        "Approval",
        "ApprovalAnswer",
        "ApprovalAnsweredEvent",
        "ApprovalAnswers",
        "ApprovalAskedEvent",
        "ApprovalLink",
        "ApprovalLinkAnswer",
        "ApprovalLinkAnswered",
        "ApprovalList",
        "ApprovalSettings",
        "ApprovalWithdrawnEvent",
        "Assistant",
        "AssistantInput",
        "AssistantList",
        "AssistantPreview",
        "AssistantPreviewInput",
        "AssistantsChangedEvent",
        "Attachment",
        "AttachmentInput",
        "AttachmentPart",
        "AuditEntries",
        "AuditEntry",
        "AuditFinding",
        "AuditLink",
        "AuditState",
        "AuditVerification",
        "Call",
        "CallChangedEvent",
        "CallExplanation",
        "CallInput",
        "CallList",
        "CallProgressedEvent",
        "CallResult",
        "CallStats",
        "Caller",
        "CatalogChangedEvent",
        "ChatConversationEvent",
        "ChatCutEvent",
        "ChatMessageEvent",
        "ChatPartEvent",
        "ChatRemovedEvent",
        "ChatTextEvent",
        "ClientList",
        "CompletionInput",
        "Config",
        "ConfigAppliedEvent",
        "ConfigRefusedEvent",
        "ConnectedAccount",
        "ConnectionStatus",
        "ContentChangedEvent",
        "Conversation",
        "ConversationChange",
        "ConversationChangedEvent",
        "ConversationContent",
        "ConversationInput",
        "ConversationList",
        "ConversationMatch",
        "ConversationMatchList",
        "ConversationRemovedEvent",
        "DefinitionChange",
        "DefinitionWarning",
        "Error",
        "ErrorOutput",
        "ExportedConversation",
        "Fleet",
        "Health",
        "ImportInput",
        "ImportedServer",
        "ImportedServers",
        "Message",
        "MessageEdit",
        "MessageInput",
        "MessageMatch",
        "MessagePart",
        "Model",
        "ModelChoice",
        "ModelList",
        "ModelSettings",
        "ModelSettingsInput",
        "ModelSettingsList",
        "ModelsChangedEvent",
        "NewApiKey",
        "NewPolicyRule",
        "NewProfile",
        "NewProvider",
        "NewProviderInput",
        "NewScript",
        "OfferedList",
        "OpenApiDocument",
        "PersonalServer",
        "Pin",
        "PinList",
        "PolicyBudgets",
        "PolicyDecisions",
        "PolicyProposals",
        "PolicyReplayInput",
        "PolicyReplayPage",
        "PolicyRule",
        "PolicyRuleInput",
        "PolicyState",
        "PolicyTrial",
        "PolicyTrialInput",
        "Profile",
        "ProfileInput",
        "ProfileList",
        "ProfilePreview",
        "ProfilePreviewInput",
        "ProfilesChangedEvent",
        "PromptArguments",
        "PromptList",
        "Provider",
        "ProviderInput",
        "ProviderList",
        "ProviderTest",
        "ProviderTestInput",
        "Question",
        "QuestionAnswer",
        "QuestionAnsweredEvent",
        "QuestionAskedEvent",
        "QuestionList",
        "ReadyEvent",
        "RegistryPage",
        "RegistryPlan",
        "RegistryServer",
        "RejectInput",
        "RememberedRule",
        "Replica",
        "ResetEvent",
        "ResourceList",
        "ResourceSubscriptionEvent",
        "ResultPage",
        "RuleList",
        "SandboxLearning",
        "SandboxList",
        "SandboxProfile",
        "SandboxState",
        "SavedRequest",
        "SavedRequestChange",
        "SavedRequestInput",
        "SavedRequestList",
        "Script",
        "ScriptInput",
        "ScriptList",
        "Server",
        "ServerAddedEvent",
        "ServerAnswer",
        "ServerChange",
        "ServerChangedEvent",
        "ServerInput",
        "ServerList",
        "ServerRecord",
        "ServerRemovedEvent",
        "ServerTest",
        "ServerTestInput",
        "ServerToken",
        "ServerUpdatedEvent",
        "Session",
        "SignIn",
        "SignInAttempt",
        "SignInStep",
        "Skill",
        "SkillContent",
        "SkillList",
        "SwitchedTools",
        "Tool",
        "ToolCallPart",
        "ToolFlaggedEvent",
        "ToolFormats",
        "ToolList",
        "ToolOverride",
        "ToolReport",
        "ToolSwitch",
        "Traffic",
        "TrafficClearedEvent",
        "TrafficMessage",
        "TrafficReadyEvent",
        "TrafficSettings",
        "TrafficSkippedEvent",
        "Truncation",
        "Usage",
        "User",
        "UserList",
      ]
    `);
  });
});

test('docs/reference/api.md has every route and schema (UPDATE_DOCS=1 writes them)', async () => {
  const file = join(root, 'docs/reference/api.md');
  const page = await readFile(file, 'utf8');
  const [before, after] = ['<!-- generated from the routes -->\n', '\n<!-- end of what is generated -->\n'] as const;
  const generated = `${before}\n${toMarkdown(allRoutes, document)}\n${after}`;
  const generatedSection = /<!-- generated from the routes -->\n[\s\S]*<!-- end of what is generated -->\n/;
  expect(page).toMatch(generatedSection);
  if (process.env.UPDATE_DOCS)
    await writeFile(
      file,
      page.replace(generatedSection, () => generated),
    );
  expect((await readFile(file, 'utf8')).match(generatedSection)?.[0]).toBe(generated);
});
