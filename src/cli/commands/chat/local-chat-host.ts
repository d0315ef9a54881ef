import { assistantTools } from '../../../chat/assistant-tools.ts';
import type { AssistantPorts, Chat } from '../../../chat/chat.ts';
import { createChat } from '../../../chat/create-chat.ts';
import { createModels } from '../../../chat/models/create-models.ts';
import { seedAssistants } from '../../../chat/seed-assistants.ts';
import { createSharedLimits, type SharedLimits } from '../../../fleet/postgres/shared-limits.ts';
import type { LogEntry } from '../../../kernel/log.ts';
import { createStartWait } from '../../../servers/start-wait.ts';
import { createStoredServers } from '../../../servers/stored-servers.ts';
import type { Assistant, AssistantStore } from '../../../storage/ports/assistant-store.ts';
import type { Conversation, ConversationStore } from '../../../storage/ports/conversation-store.ts';
import { locateStore, openStore } from '../../backend/open-store.ts';
import { type OpenedToolbox, openToolbox } from '../../backend/open-toolbox.ts';
import { createTerminalLog } from '../../terminal/terminal-log.ts';
import type { AssistantOverrides, ChatHost, HostOptions } from './chat-host.ts';
import { createStoredSettings } from './chat-settings.ts';
import { createTerminalPrompter } from './terminal-prompter.ts';

/** How often the store is polled for interrupted conversations. */
const recoveryIntervalMs = 1_000;

/** The answer itself reports that its model failed. */
const suppressLog = ({ event }: LogEntry) => event === 'chat.model-failed';

/** Opens conversations in this process, with its own toolbox and the store of the data directory, created if missing. */
export async function openLocalChat(options: HostOptions): Promise<ChatHost> {
  const { storage } = await openStore(await locateStore(options.context));
  const stopping = new AbortController();
  let opened: OpenedToolbox | undefined;
  let limits: SharedLimits | undefined;
  let chat: Chat | undefined;

  async function close(): Promise<void> {
    stopping.abort();
    await chat?.close();
    await opened?.[Symbol.asyncDispose]();
    limits?.[Symbol.dispose]();
    await storage.close();
  }

  async function open({ context, lock }: HostOptions): Promise<ChatHost> {
    const { terminal, env } = context;
    const log = createTerminalLog(terminal, context.options.logLevel, suppressLog);
    const prompter = createTerminalPrompter({
      terminal,
      env,
      lock,
      store: storage.approvals,
      log,
      stopping: stopping.signal,
      askPatterns: () => opened?.config.toolbox.approval.ask ?? [],
    });
    limits = storage.fleet && createSharedLimits({ store: storage.fleet, log });
    opened = await openToolbox(context, {
      limits,
      journal: storage.journal,
      pins: storage.pins,
      rules: storage.rules,
      overrides: storage.toolOverrides,
      signIns: storage.oauth,
      approver: prompter.approver,
      host: prompter.defaultHost,
      suppressLog,
    });
    const { toolbox, config } = opened;
    const stored = createStoredServers({
      toolbox,
      allowsPrograms: () => config.gateway.allowPrograms ?? true,
      store: storage.servers,
      log,
      onChange: () => {},
    });
    await stored.start();
    await createStartWait(toolbox, config.gateway.listWaitMs)();
    await seedAssistants(storage, toolbox);
    const models = createModels({ providers: storage.providers, settings: storage.modelSettings, env });
    const { assistants, override } = overrideAssistants(storage.assistants);
    const attended = new Set<string>();
    const ports: AssistantPorts = {
      toolbox,
      serverNames: async () => new Map((await stored.list()).map(({ id, name }) => [id, name])),
    };
    chat = await createChat({
      ...ports,
      toolbox,
      journal: storage.journal,
      storage: { assistants, conversations: attendedOnly(attended, storage.conversations) },
      models,
      hostFor: prompter.hostFor,
      denyApprovals: prompter.denyAll,
      log,
      recoveryIntervalMs,
    });
    opened.reportUnavailable();
    return {
      chat,
      settings: { ...createStoredSettings({ storage, models, config }), assistants },
      override,
      tools: (assistant) => assistantTools(assistant, ports),
      attend(id) {
        attended.add(id);
        return () => attended.delete(id);
      },
      unanswerable: prompter.unanswerable,
      lost: new Promise(() => {}),
      [Symbol.asyncDispose]: close,
    };
  }

  try {
    return await open(options);
  } catch (cause) {
    await close();
    throw cause;
  }
}

/** Applies overrides to assistants in memory; the store keeps the originals. */
function overrideAssistants(store: AssistantStore): Pick<ChatHost, 'override'> & { assistants: AssistantStore } {
  const overridden = new Map<string, AssistantOverrides>();
  const apply = (assistant: Assistant): Assistant => ({ ...assistant, ...overridden.get(assistant.id) });
  return {
    assistants: {
      ...store,
      list: async () => (await store.list()).map(apply),
      async get(id) {
        const found = await store.get(id);
        return found && apply(found);
      },
    },
    async override(assistant, overrides) {
      overridden.set(assistant.id, { ...overridden.get(assistant.id), ...overrides });
      return apply(assistant);
    },
  };
}

/** A conversation store that resumes only interrupted conversations the person has open; the others wait for a gateway. */
export function attendedOnly(attended: ReadonlySet<string>, store: ConversationStore): ConversationStore {
  return {
    ...store,
    async abandoned() {
      const abandoned: Conversation[] = [];
      for (const id of attended) {
        const conversation = await store.get(id);
        const isInterrupted = conversation !== undefined && conversation.status !== 'idle';
        if (isInterrupted && (await store.claim(id))) abandoned.push(conversation);
      }
      return abandoned;
    },
  };
}
