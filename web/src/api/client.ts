import createClient from 'openapi-fetch';
import type { operations, paths } from './openapi.d.ts';

export type * from './openapi.d.ts';

/** The events that `GET /api/events` streams, by name. */
export type GatewayEvents = operations['listenToEvents']['responses'][200]['content']['text/event-stream'];
/** The events that `GET /api/conversations/{conversation}/events` streams, by name. */
export type ConversationEvents = operations['watchConversation']['responses'][200]['content']['text/event-stream'];

/** The events that `GET /api/servers/{server}/traffic/events` streams, by name. */
export type TrafficEvents = operations['watchTraffic']['responses'][200]['content']['text/event-stream'];

/** An error response of the gateway. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: string;
  readonly data: unknown;

  constructor(status: number, code: string, message: string, data?: unknown) {
    super(message);
    this.status = status;
    this.code = code;
    this.data = data;
  }
}

export interface ApiOptions {
  /** Default: the origin of the page. */
  readonly baseUrl?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: the global `fetch`. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

/** Creates one function per API operation the app uses, named like the operation. Error responses throw an `ApiError`. */
export function createApi({ baseUrl, headers, fetch }: ApiOptions = {}) {
  const client = createClient<paths>({ baseUrl, fetch, headers: { 'x-toolwharf': 'app', ...headers } });
  // The compiler cannot relate a generic path to its parameters; `Endpoint` declares them for the callers instead.
  const request = client.request as unknown as (method: Method, path: string, init: object) => Promise<Exchange>;
  const endpoints =
    <Verb extends Method>(method: Verb) =>
    <Path extends keyof paths>(path: Path) =>
      (async ({ path: pathParameters, query, body, signal }: Input = {}) => {
        const { data, error, response } = await request(method, path, {
          params: { path: pathParameters, query },
          body,
          signal,
        });
        if (!response.ok) throw toApiError(response, error);
        return data;
      }) as Endpoint<paths[Path][Verb]>;

  const get = endpoints('get');
  const post = endpoints('post');
  const put = endpoints('put');
  const remove = endpoints('delete');
  return {
    listServers: get('/api/servers'),
    addServer: post('/api/servers'),
    testServer: post('/api/servers/test'),
    importServers: post('/api/servers/import'),
    getServer: get('/api/servers/{server}'),
    setServerToken: post('/api/servers/{server}/token'),
    updateServer: put('/api/servers/{server}'),
    removeServer: remove('/api/servers/{server}'),
    enableServer: post('/api/servers/{server}/enable'),
    disableServer: post('/api/servers/{server}/disable'),
    connectServer: post('/api/servers/{server}/connect'),
    disconnectServer: post('/api/servers/{server}/disconnect'),
    refreshServer: post('/api/servers/{server}/refresh'),
    getServerErrorOutput: get('/api/servers/{server}/stderr'),
    recordTraffic: put('/api/servers/{server}/traffic'),
    clearTraffic: remove('/api/servers/{server}/traffic'),
    getSignIn: get('/api/servers/{server}/sign-in'),
    signOut: remove('/api/servers/{server}/sign-in'),
    listAccounts: get('/api/accounts'),
    connectAccount: post('/api/accounts'),
    changeAccount: put('/api/accounts/{account}'),
    disconnectAccount: remove('/api/accounts/{account}'),
    listResources: get('/api/servers/{server}/resources'),
    readResource: get('/api/servers/{server}/resources/read'),
    listPrompts: get('/api/servers/{server}/prompts'),
    listSkills: get('/api/skills'),
    readSkill: get('/api/skills/read'),
    acceptSkillChange: post('/api/skills/accept'),
    getPrompt: post('/api/servers/{server}/prompts/{prompt}'),
    complete: post('/api/servers/{server}/completions'),
    searchRegistry: get('/api/registry/servers'),
    planRegistryServer: post('/api/registry/plan'),
    listTools: get('/api/tools'),
    listServerTools: get('/api/servers/{server}/tools'),
    getTool: get('/api/tools/{tool}'),
    callTool: post('/api/tools/{tool}/call'),
    acceptToolChange: post('/api/tools/{tool}/accept'),
    rejectToolChange: post('/api/tools/{tool}/reject'),
    getToolFormats: get('/api/tools/{tool}/formats'),
    listCalls: get('/api/calls'),
    getCallStats: get('/api/calls/stats'),
    getCall: get('/api/calls/{call}'),
    readCallResult: get('/api/calls/{call}/result'),
    cancelCall: post('/api/calls/{call}/cancel'),
    openApp: post('/api/calls/{call}/app'),
    callToolForApp: post('/api/calls/{call}/app/calls'),
    listSavedRequests: get('/api/requests'),
    saveRequest: post('/api/requests'),
    updateSavedRequest: put('/api/requests/{request}'),
    removeSavedRequest: remove('/api/requests/{request}'),
    listApprovals: get('/api/approvals'),
    getApproval: get('/api/approvals/{approval}'),
    answerApproval: post('/api/approvals/{approval}/answer'),
    answerApprovals: post('/api/approvals/answers'),
    listRules: get('/api/rules'),
    revokeRule: remove('/api/rules/{rule}'),
    listQuestions: get('/api/questions'),
    answerQuestion: post('/api/questions/{question}/answer'),
    listConversations: get('/api/conversations'),
    searchConversations: get('/api/conversations/search'),
    createConversation: post('/api/conversations'),
    getConversation: get('/api/conversations/{conversation}'),
    updateConversation: put('/api/conversations/{conversation}'),
    removeConversation: remove('/api/conversations/{conversation}'),
    sendMessage: post('/api/conversations/{conversation}/messages'),
    stopConversation: post('/api/conversations/{conversation}/stop'),
    resumeConversation: post('/api/conversations/{conversation}/resume'),
    retryMessage: post('/api/conversations/{conversation}/messages/{message}/retry'),
    editMessage: post('/api/conversations/{conversation}/messages/{message}/edit'),
    selectMessage: post('/api/conversations/{conversation}/messages/{message}/select'),
    getAttachment: get('/api/conversations/{conversation}/attachments/{attachment}'),
    listAssistants: get('/api/assistants'),
    previewAssistant: post('/api/assistants/preview'),
    putAssistant: put('/api/assistants/{assistant}'),
    removeAssistant: remove('/api/assistants/{assistant}'),
    listProviders: get('/api/providers'),
    addProvider: post('/api/providers'),
    testProvider: post('/api/providers/test'),
    updateProvider: put('/api/providers/{provider}'),
    removeProvider: remove('/api/providers/{provider}'),
    listModels: get('/api/providers/{provider}/models'),
    listModelSettings: get('/api/model-settings'),
    putModelSettings: put('/api/model-settings'),
    listProfiles: get('/api/profiles'),
    getProfile: get('/api/profiles/{profile}'),
    createProfile: post('/api/profiles'),
    updateProfile: put('/api/profiles/{profile}'),
    removeProfile: remove('/api/profiles/{profile}'),
    previewProfile: post('/api/profiles/preview'),
    listScripts: get('/api/scripts'),
    createScript: post('/api/scripts'),
    updateScript: put('/api/scripts/{script}'),
    removeScript: remove('/api/scripts/{script}'),
    switchTools: post('/api/tools/switch'),
    overrideTool: put('/api/tools/{tool}/override'),
    listClients: get('/api/clients'),
    getConfig: get('/api/config'),
    getFleet: get('/api/fleet'),
    getHealth: get('/api/health'),
    listUsers: get('/api/users'),
    disableUser: post('/api/users/{user}/disable'),
    enableUser: post('/api/users/{user}/enable'),
    removeUser: remove('/api/users/{user}'),
    listKeys: get('/api/keys'),
    createKey: post('/api/keys'),
    revokeKey: remove('/api/keys/{key}'),
    getSession: get('/api/session'),
    openSession: post('/api/session'),
    closeSession: remove('/api/session'),
  };
}
export type Api = ReturnType<typeof createApi>;

/** The API of the gateway that served this page. */
export const api = createApi();

type Method = 'get' | 'post' | 'put' | 'delete';

interface Exchange {
  readonly data?: unknown;
  readonly error?: unknown;
  readonly response: Response;
}

interface Input {
  readonly path?: object;
  readonly query?: object;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

/** The function that calls an operation; its argument may be left out where the operation requires nothing. */
type Endpoint<Operation> = Operation extends {
  readonly parameters: infer Parameters;
  readonly responses: infer Responses;
}
  ? object extends Parameters & BodyOf<Operation>
    ? (input?: InputOf<Parameters, Operation>) => Promise<JsonOf<Responses[keyof Responses]>>
    : (input: InputOf<Parameters, Operation>) => Promise<JsonOf<Responses[keyof Responses]>>
  : never;

type InputOf<Parameters, Operation> = Pick<Parameters, keyof Parameters & ('path' | 'query')> &
  BodyOf<Operation> & { readonly signal?: AbortSignal };

type BodyOf<Operation> = Operation extends {
  readonly requestBody: { readonly content: { readonly 'application/json': infer Body } };
}
  ? { readonly body: Body }
  : object;

type JsonOf<Response> = Response extends { content: { readonly 'application/json': infer Answer } }
  ? Answer
  : undefined;

function toApiError({ status, statusText }: Response, answer: unknown): ApiError {
  const { error } = (typeof answer === 'object' && answer ? answer : {}) as {
    readonly error?: { readonly code?: string; readonly message?: string; readonly data?: unknown };
  };
  return new ApiError(status, error?.code ?? 'INTERNAL', error?.message ?? statusText, error?.data);
}
