import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EventData } from '../../gateway/api/schemas/events.ts';
import type { ProfileView } from '../../gateway/api/schemas/profiles.ts';
import type { QuestionView } from '../../gateway/api/schemas/questions.ts';
import type { ServerView } from '../../gateway/api/schemas/servers.ts';
import type { ConfigView } from '../../gateway/api/schemas/settings.ts';
import type { SkillView } from '../../gateway/api/schemas/skills.ts';
import type { ToolView } from '../../gateway/api/schemas/tools.ts';
import { failureResult } from '../../invocation/shape-result.ts';
import { ToolwharfError } from '../../kernel/errors.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Progress, ToolResult } from '../../kernel/tool.ts';
import type { Approver } from '../../policy/approval.ts';
import type { SkillContent } from '../../servers/skills/toolbox-skills.ts';
import type { CommandContext } from '../command-context.ts';
import { oneLine, shortId } from '../terminal/format.ts';
import { createTerminalApprover, rulesNote } from '../terminal/terminal-approver.ts';
import { createTerminalLock } from '../terminal/terminal-lock.ts';
import { askPatternsOf, type GatewayClient } from './gateway-client.ts';
import { warnUnavailable } from './known-server.ts';
import { createRequestPrompts } from './request-prompts.ts';
import type { ConfigSummary, ResourceLists, ToolAccess } from './tool-access.ts';

/** Opens the servers of a gateway. */
export async function openGatewayTools(gateway: GatewayClient, context: CommandContext): Promise<ToolAccess> {
  const { terminal, signal } = context;
  const views = await readServers(gateway, context);
  const [{ tools }, config] = await Promise.all([
    gateway.get<{ readonly tools: readonly ToolView[] }>('/api/tools'),
    readConfig(gateway),
  ]);
  const servers = views.map((view) => {
    return { ...view, usableTools: tools.filter((tool) => tool.server === view.name).length };
  });
  const serverPath = (server: string) => `/api/servers/${encodeURIComponent(server)}`;

  return {
    gateway: gateway.url,
    servers,
    tools,
    config,
    warnings: [],
    async readExposure() {
      const { profiles } = await gateway.get<{ readonly profiles: readonly ProfileView[] }>('/api/profiles');
      // Administrators see all profiles, others their own.
      const own = profiles.find(({ name }) => name === 'default') ?? profiles[0];
      return own && (await gateway.get<ProfileView>(`/api/profiles/${encodeURIComponent(own.name)}`)).exposure;
    },
    reportUnavailable: (only) => warnUnavailable(servers, terminal, only),
    async call({ name }, args, { timeout, onProgress }) {
      const callId = randomUUID();
      const watched = await watchCall(callId, { gateway, context, onProgress, pause: timeout.pause });
      const ending = AbortSignal.any([signal, timeout.start(name)]);
      try {
        const path = `/api/tools/${encodeURIComponent(name)}/call`;
        const result = await gateway.post<ToolResult>(path, { arguments: args, callId }, ending);
        return { result, isDeniedHere: false };
      } catch (cause) {
        const failure = ending.aborted ? ending.reason : cause;
        // An unknown tool or invalid credentials are not the result of a call.
        const isCallFailure = failure instanceof ToolwharfError && (ending.aborted || 'callId' in failure.data);
        if (!isCallFailure) throw failure;
        const { code, message, data } = failure;
        return { result: failureResult(callId, code, message, data), isDeniedHere: watched.isDeniedHere() };
      } finally {
        watched.stop();
      }
    },
    listResources: (server) => gateway.get<ResourceLists>(`${serverPath(server)}/resources`),
    readResource: (server, uri) =>
      gateway.get<JsonObject>(`${serverPath(server)}/resources/read?uri=${encodeURIComponent(uri)}`),
    listPrompts: async (server) =>
      (await gateway.get<{ readonly prompts: readonly JsonObject[] }>(`${serverPath(server)}/prompts`)).prompts,
    listSkills: async () => (await gateway.get<{ readonly skills: readonly SkillView[] }>('/api/skills')).skills,
    readSkill({ server, uri }, path) {
      const given = Object.entries({ server, uri, path }).filter(
        (entry): entry is [string, string] => entry[1] !== undefined,
      );
      return gateway.get<SkillContent>(`/api/skills/read?${new URLSearchParams(given)}`);
    },
    getPrompt: (server, name, args) =>
      gateway.post<JsonObject>(`${serverPath(server)}/prompts/${encodeURIComponent(name)}`, { arguments: args }),
    [Symbol.asyncDispose]: async () => {},
  };
}

const startWaitMs = 15_000;
const pollMs = 250;

/** The servers of the gateway. Servers that have never been connected get some time, since the gateway may have just started. */
async function readServers(
  gateway: GatewayClient,
  { terminal, signal }: CommandContext,
): Promise<readonly ServerView[]> {
  const deadline = performance.now() + startWaitMs;
  for (;;) {
    const { servers } = await gateway.get<{ readonly servers: readonly ServerView[] }>('/api/servers');
    const starting = servers.filter(
      ({ enabled, status }) => enabled && status.state === 'connecting' && status.lastConnectedAt === undefined,
    );
    terminal.status(
      starting.length > 0 ? `Waiting for ${starting.map(({ name }) => oneLine(name)).join(', ')} …` : undefined,
    );
    if (starting.length === 0 || performance.now() > deadline) {
      terminal.status();
      return servers;
    }
    await sleep(pollMs, undefined, { signal });
  }
}

/** The configuration of the gateway; callers who are not administrators do not see it. */
async function readConfig(gateway: GatewayClient): Promise<ConfigSummary> {
  try {
    const { file, dialect, warnings, plugins, refused } = await gateway.get<ConfigView>('/api/config');
    return { file, dialect, warnings, plugins, refused: refused?.message };
  } catch (cause) {
    if (cause instanceof ToolwharfError && cause.code === 'FORBIDDEN') return { dialect: 'unknown', isHidden: true };
    throw cause;
  }
}

interface WatchPorts {
  readonly gateway: GatewayClient;
  readonly context: CommandContext;
  readonly onProgress: (progress: Progress) => void;
  /** Stops the time limit; the returned function resumes it. */
  readonly pause: () => () => void;
}

interface WatchedCall {
  /** Whether the person at the terminal denied the call. */
  isDeniedHere(): boolean;
  stop(): void;
}

/**
 * Follows the events of a call that is about to be sent to the gateway, and of its child calls: shows progress, and prompts for
 * approvals and questions, or says how to answer them if there is no terminal.
 */
async function watchCall(callId: string, ports: WatchPorts): Promise<WatchedCall> {
  const { gateway, context, onProgress, pause } = ports;
  const { terminal, env } = context;
  const stopped = new AbortController();
  const callIds = new Set([callId]);
  /** Resumes the time limit, by the id of the request that the call waits for. */
  const waiting = new Map<string, () => void>();
  let isDenied = false;
  const askPatterns = terminal.canAsk ? await askPatternsOf(gateway).catch(() => []) : [];
  const person = createTerminalApprover(terminal, () => ({
    rememberedNote: rulesNote,
    askPatterns,
    extended: { env },
  }));
  const approver: Approver = {
    async ask(request, signal) {
      const answer = await person.ask(request, signal);
      isDenied = !signal.aborted && answer.kind === 'deny';
      return answer;
    },
  };
  const prompts = createRequestPrompts({ gateway, terminal, lock: createTerminalLock(), approver });

  function askApproval({ id, tool }: EventData<'approval.asked'>): void {
    if (terminal.canAsk) void prompts.promptForApproval(id);
    else {
      const short = shortId(id);
      terminal.say(`${oneLine(tool)} awaits approval: run \`toolwharf approvals allow ${short}\` or \`deny ${short}\``);
    }
  }

  async function askQuestion({ id, server }: EventData<'question.asked'>): Promise<void> {
    if (!terminal.canAsk) return terminal.say(`Server '${oneLine(server)}' asks a question: answer it in the app`);
    const { questions } = await gateway.get<{ readonly questions: readonly QuestionView[] }>('/api/questions');
    const question = questions.find((candidate) => candidate.id === id);
    if (question) await prompts.promptForQuestion(question);
  }

  function receive(event: string | undefined, data: string): void {
    const value = JSON.parse(data) as { readonly id: string; readonly callId?: string };
    const isOurs = value.callId !== undefined && callIds.has(value.callId);
    switch (event) {
      case 'call.changed': {
        const { id, parent } = value as EventData<'call.changed'>;
        if (parent && callIds.has(parent.id)) callIds.add(id);
        break;
      }
      case 'call.progressed':
        if (value.id === callId) onProgress(value as EventData<'call.progressed'>);
        break;
      case 'approval.asked':
      case 'question.asked':
        if (!isOurs) break;
        waiting.set(value.id, pause());
        if (event === 'approval.asked') askApproval(value as EventData<'approval.asked'>);
        else askQuestion(value as EventData<'question.asked'>).catch(() => {});
        break;
      case 'approval.answered':
      case 'approval.withdrawn':
      case 'question.answered':
        waiting.get(value.id)?.();
        waiting.delete(value.id);
        prompts.close(value.id);
    }
  }

  const events = await gateway.events('/api/events', stopped.signal);
  async function follow(): Promise<void> {
    for await (const { event, data } of events) receive(event, data);
  }
  // Without events, the call goes on; its approvals can be answered elsewhere.
  follow().catch(() => {});

  return {
    isDeniedHere: () => isDenied,
    stop() {
      stopped.abort();
      prompts.stop();
    },
  };
}
