import { assistantTools } from '../../../chat/assistant-tools.ts';
import type { AssistantPorts, Chat } from '../../../chat/chat.ts';
import { createChat } from '../../../chat/create-chat.ts';
import { createModels } from '../../../chat/models/create-models.ts';
import { seedAssistants } from '../../../chat/seed-assistants.ts';
import { createStoredServers } from '../../../gateway/api/stored-servers.ts';
import { createStartWait } from '../../../gateway/start-wait.ts';
import type { LogEntry } from '../../../kernel/log.ts';
import { openStore } from '../../backend/open-store.ts';
import { type OpenedToolbox, openToolbox } from '../../backend/open-toolbox.ts';
import { storePlaceOf } from '../../backend/store-of.ts';
import { createTerminalLog } from '../../terminal/terminal-log.ts';
import { attendedOnly } from './attended-only.ts';
import type { ChatHost, HostOptions } from './chat-host.ts';
import { createPersonHere } from './person-here.ts';
import { createStoredSettings } from './stored-settings.ts';
import { varyAssistants } from './vary-assistants.ts';

/** How soon a conversation that was left in the middle goes on. */
const recoveryIntervalMs = 1_000;

/** The answer itself tells. */
const toldByAnswers = new Set(['chat.model-failed']);
const tells = ({ event }: LogEntry) => toldByAnswers.has(event);

/** Conversations in this process, with a toolbox of its own over the store of the data directory, which is made if need be. */
export async function openLocalChat(options: HostOptions): Promise<ChatHost> {
  const { storage } = await openStore(await storePlaceOf(options.context));
  const stopping = new AbortController();
  let opened: OpenedToolbox | undefined;
  let chat: Chat | undefined;

  async function close(): Promise<void> {
    stopping.abort();
    await chat?.close();
    await opened?.[Symbol.asyncDispose]();
    await storage.close();
  }

  async function open({ context, floor }: HostOptions): Promise<ChatHost> {
    const { terminal, env } = context;
    const log = createTerminalLog(terminal, context.options.logLevel, tells);
    const person = createPersonHere({
      terminal,
      env,
      floor,
      store: storage.approvals,
      log,
      stopping: stopping.signal,
      askList: () => opened?.config.toolbox.approval.ask ?? [],
    });
    opened = await openToolbox(context, {
      ...{ journal: storage.journal, pins: storage.pins, rules: storage.rules, signIns: storage.oauth },
      approver: person.approver,
      host: person.defaultHost,
      tells,
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
    const models = createModels({ providers: storage.providers, env });
    const { assistants, vary } = varyAssistants(storage.assistants);
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
      hostFor: person.hostFor,
      denyApprovals: person.denyAll,
      log,
      recoveryIntervalMs,
    });
    opened.tellUnavailable();
    return {
      chat,
      settings: { ...createStoredSettings({ storage, models, config }), assistants },
      vary,
      tools: (assistant) => assistantTools(assistant, ports),
      attend(id) {
        attended.add(id);
        return () => attended.delete(id);
      },
      unasked: person.unasked,
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
