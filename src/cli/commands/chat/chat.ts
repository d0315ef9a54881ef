import { addAbortSignal } from 'node:stream';
import { text as readText } from 'node:stream/consumers';
import { dataDirectory } from '../../../config/data-directory.ts';
import type { Conversation } from '../../../storage/ports/conversation-store.ts';
import { findGateway } from '../../backend/gateway-file.ts';
import type { CommandContext } from '../../command.ts';
import { findById } from '../../terminal/find-by-id.ts';
import { UsageError } from '../../usage-error.ts';
import type { AssistantChanges, ChatHost } from './chat-host.ts';
import { converse } from './converse.ts';
import { findAssistant, findModel, findServers } from './find-settings.ts';
import { createFloor, type Floor } from './floor.ts';
import { ownConversations } from './own-conversations.ts';
import { sayOnce, tellWaiting } from './say-once.ts';
import { createSession, type Session } from './session.ts';
import { createTextSinks, noText } from './text-sinks.ts';

export interface ChatOptions {
  readonly assistant?: string;
  readonly model?: string;
  readonly servers?: string;
  readonly conversation?: string;
  readonly continue?: boolean;
  readonly auto?: boolean;
  readonly alwaysAsk?: boolean;
  readonly trustedOnly?: boolean;
  readonly once?: string;
  readonly json?: boolean;
}

/** `toolwharf chat`: a conversation with an assistant; one question and its answer where there is nobody to converse with. */
export async function chat(options: ChatOptions, context: CommandContext): Promise<number> {
  const { terminal } = context;
  const toolApproval = approvalOf(options);
  if (options.conversation !== undefined && options.continue) {
    throw new UsageError('Give --conversation or --continue, not both');
  }
  const prompt = options.once ?? (terminal.canAsk || process.stdin.isTTY ? undefined : await readPrompt(context));
  if (prompt !== undefined && prompt.trim() === '')
    throw new UsageError('There is nothing to say: the prompt is empty');
  if (prompt === undefined && options.json) throw new UsageError('--json goes with --once, or with a prompt on stdin');
  if (prompt === undefined && !terminal.canAsk) {
    throw new UsageError('A conversation needs a terminal; --once "prompt" asks one thing without one');
  }

  const floor = createFloor();
  await using host = await openHost(context, floor);
  using session = await begin({ ...options, ...(toolApproval && { toolApproval }) }, host, floor, context);
  if (prompt === undefined) return await converse(session, host, context);
  return await sayOnce(prompt, session, { ...options, unasked: host.unasked }, context);
}

async function openHost(context: CommandContext, floor: Floor): Promise<ChatHost> {
  const { env, terminal, options } = context;
  const running = await findGateway(dataDirectory(env));
  if (!running) return (await import('./local-chat.ts')).openLocalChat({ context, floor });
  if (options.config !== undefined) {
    terminal.note(`A gateway is running at ${running.url}: its configuration is used, not ${options.config}`);
  }
  return (await import('./remote-host.ts')).openRemoteChat({ context, floor });
}

type BeginOptions = ChatOptions & Pick<AssistantChanges, 'toolApproval'>;

/** The conversation and the assistant that the command line asks for. */
async function begin(options: BeginOptions, host: ChatHost, floor: Floor, context: CommandContext): Promise<Session> {
  const { terminal } = context;
  const { settings } = host;
  const conversation = await chooseConversation(options, host);
  const assistants = await settings.assistants.list();
  const session = createSession({
    host,
    terminal,
    floor,
    assistant: findAssistant(options.assistant, assistants),
    createText: options.json ? () => noText : createTextSinks(terminal),
    ...(host.gateway !== undefined && !terminal.canAsk && { onAsked: (part) => tellWaiting(part, context) }),
  });
  try {
    if (conversation) await session.open(conversation);
    if (options.assistant !== undefined) await session.use(findAssistant(options.assistant, assistants));
    const { model, servers, toolApproval } = options;
    const changes: AssistantChanges = {
      ...(model !== undefined && { model: findModel(model, await settings.providers()) }),
      ...(servers !== undefined && { serverIds: findServers(servers, await settings.servers()) }),
      ...(toolApproval && { toolApproval }),
    };
    if (Object.keys(changes).length > 0) await session.vary(changes);
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
  const [latest] = await ownConversations(chat);
  if (!latest) throw new UsageError('There is no conversation to continue yet');
  return latest;
}

function approvalOf({ auto, alwaysAsk, trustedOnly }: ChatOptions): AssistantChanges['toolApproval'] {
  const given = [
    ...(auto ? ['auto' as const] : []),
    ...(alwaysAsk ? ['always-ask' as const] : []),
    ...(trustedOnly ? ['trusted-only' as const] : []),
  ];
  if (given.length > 1) throw new UsageError('Give one of --auto, --always-ask and --trusted-only');
  return given[0];
}

function readPrompt({ signal }: CommandContext): Promise<string> {
  return readText(addAbortSignal(signal, process.stdin));
}
