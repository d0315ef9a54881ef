import { addAbortSignal } from 'node:stream';
import { text as readText } from 'node:stream/consumers';
import { omitUndefined } from '../../../kernel/json.ts';
import type { Conversation } from '../../../storage/ports/conversation-store.ts';
import { selectGateway } from '../../backend/select-gateway.ts';
import type { CommandContext, JsonOption } from '../../command-context.ts';
import { UsageError } from '../../errors.ts';
import { findById } from '../../find-item.ts';
import { createTerminalLock, type TerminalLock } from '../../terminal/terminal-lock.ts';
import { type AssistantOverrides, type ChatHost, listOwnConversations } from './chat-host.ts';
import { findAssistant, findModel, findServers } from './chat-settings.ts';
import { readAttachment } from './conversation-commands.ts';
import { runInteractiveChat } from './interactive-chat.ts';
import { createSession, type Session } from './session.ts';
import { reportPendingApproval, runSinglePrompt } from './single-prompt.ts';
import { createTextWriters, silentWriter } from './text-output.ts';

export interface ChatOptions extends JsonOption {
  readonly assistant?: string;
  readonly model?: string;
  readonly servers?: string;
  readonly conversation?: string;
  readonly continue?: boolean;
  readonly auto?: boolean;
  readonly alwaysAsk?: boolean;
  readonly trustedOnly?: boolean;
  readonly expose?: AssistantOverrides['expose'];
  readonly once?: string;
  readonly attach?: readonly string[];
}

/** `toolwharf chat`: an interactive chat, or one prompt and its answer with `--once` or without a terminal. */
export async function chat(options: ChatOptions, context: CommandContext): Promise<number> {
  const { stdin, terminal } = context;
  const toolApproval = parseApproval(options);
  if (options.conversation !== undefined && options.continue) {
    throw new UsageError('Use either --conversation or --continue');
  }
  const prompt = options.once ?? (terminal.canAsk || stdin.isTTY ? undefined : await readPrompt(context));
  if (prompt?.trim() === '') throw new UsageError('The prompt is empty');
  if (prompt === undefined && options.json) throw new UsageError('--json needs --once, or a prompt on stdin');
  if (prompt === undefined && !terminal.canAsk) {
    throw new UsageError('An interactive chat needs a terminal; use --once "prompt" without one');
  }

  const attachments = await Promise.all((options.attach ?? []).map(readAttachment));
  const lock = createTerminalLock();
  await using host = await openHost(context, lock);
  using session = await openSession({ ...options, toolApproval }, host, lock, context);
  if (prompt === undefined) return await runInteractiveChat(session, host, context, attachments);
  return await runSinglePrompt(
    prompt,
    session,
    { json: options.json, unanswerable: host.unanswerable, attachments },
    context,
  );
}

async function openHost(context: CommandContext, lock: TerminalLock): Promise<ChatHost> {
  // Not the signal of the command: an answer must be stopped after Ctrl-C too.
  const gateway = await selectGateway({ ...context, signal: new AbortController().signal });
  if (!gateway) return (await import('./local-chat-host.ts')).openLocalChat({ context, lock });
  return (await import('./gateway-chat-host.ts')).openGatewayChat(gateway, { context, lock });
}

/** Opens the conversation and the assistant that the options name. */
async function openSession(
  options: ChatOptions & Pick<AssistantOverrides, 'toolApproval'>,
  host: ChatHost,
  lock: TerminalLock,
  context: CommandContext,
): Promise<Session> {
  const { terminal } = context;
  const { settings } = host;
  const conversation = await chooseConversation(options, host);
  const assistants = await settings.assistants.list();
  const session = createSession({
    host,
    terminal,
    lock,
    assistant: findAssistant(options.assistant, assistants),
    createWriter: options.json ? () => silentWriter : createTextWriters(terminal),
    onAsked:
      host.gateway !== undefined && !terminal.canAsk
        ? (part, id) => reportPendingApproval(part, id, context)
        : undefined,
  });
  try {
    if (conversation) await session.open(conversation);
    if (options.assistant !== undefined) await session.use(findAssistant(options.assistant, assistants));
    const { model, servers, toolApproval, expose } = options;
    const overrides: AssistantOverrides = omitUndefined({
      model: model === undefined ? undefined : findModel(model, await settings.providers()),
      serverIds: servers === undefined ? undefined : findServers(servers, await settings.servers()),
      toolApproval,
      expose,
    });
    if (Object.keys(overrides).length > 0) await session.override(overrides);
    return session;
  } catch (cause) {
    session[Symbol.dispose]();
    throw cause;
  }
}

async function chooseConversation(options: ChatOptions, { chat }: ChatHost): Promise<Conversation | undefined> {
  if (options.conversation !== undefined) {
    return findById(options.conversation, await chat.list({ limit: 1_000 }), 'conversation');
  }
  if (!options.continue) return undefined;
  const [latest] = await listOwnConversations(chat);
  if (!latest) throw new UsageError('There is no conversation to continue');
  return latest;
}

function parseApproval({ auto, alwaysAsk, trustedOnly }: ChatOptions): AssistantOverrides['toolApproval'] {
  if ([auto, alwaysAsk, trustedOnly].filter(Boolean).length > 1) {
    throw new UsageError('Use only one of --auto, --always-ask and --trusted-only');
  }
  if (auto) return 'auto';
  if (alwaysAsk) return 'always-ask';
  return trustedOnly ? 'trusted-only' : undefined;
}

function readPrompt({ stdin, signal }: CommandContext): Promise<string> {
  return readText(addAbortSignal(signal, stdin));
}
