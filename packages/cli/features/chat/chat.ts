import { addAbortSignal } from 'node:stream';
import { text as readText } from 'node:stream/consumers';
import { omitUndefined } from '../../../contract/json.ts';
import type { Conversation, Message, ToolCallPart } from '../../../contract/records/conversation.ts';
import type { NewAttachment } from '../../../gateway/features/chat/attachments.ts';
import type { CommandContext, JsonOption } from '../../core/command-context.ts';
import { exitCodes, UsageError } from '../../core/errors.ts';
import { findById } from '../../core/find-item.ts';
import { jsonText, shortId } from '../../core/terminal/format.ts';
import { createTerminalLock, type TerminalLock } from '../../core/terminal/terminal-lock.ts';
import { logLine } from '../../core/terminal/terminal-log.ts';
import { type AssistantOverrides, type ChatHost, listOwnConversations, openChatHost } from './chat-host.ts';
import { findAssistant, findModel, findServers } from './chat-settings.ts';
import { readAttachment } from './conversation-commands.ts';
import { runInteractiveChat } from './interactive-chat.ts';
import { createSession, type Session } from './session.ts';
import { createTextWriters, silentWriter } from './text-output.ts';
import { nameOf, problemOf } from './tool-row.ts';

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
  /** Waits until approvals are answered elsewhere, if there is no terminal. */
  readonly wait?: boolean;
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
  const introduction = Promise.withResolvers<void>();
  // The first prompt for an approval waits until the conversation has been introduced.
  if (prompt === undefined) void lock.run(() => introduction.promise);
  await using host = await openChatHost(context, lock);
  using session = await openSession({ ...options, toolApproval }, host, lock, context);
  if (prompt === undefined) return await runInteractiveChat(session, host, context, attachments, introduction.resolve);
  return await runSinglePrompt(
    prompt,
    session,
    { json: options.json, unanswerable: host.unanswerable, attachments },
    context,
  );
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
  const assistants = await settings.assistants();
  const session = createSession({
    host,
    terminal,
    lock,
    assistant: findAssistant(options.assistant, assistants),
    createWriter: options.json ? () => silentWriter : createTextWriters(terminal),
    onAsked: terminal.canAsk ? undefined : (part, id) => void answerWithoutTerminal(part, id, options, host, context),
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
    return findById(options.conversation, await chat.list(), 'conversation');
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

interface SinglePromptOptions extends JsonOption {
  /** The ids of calls that were denied because there is no terminal. */
  readonly unanswerable: ReadonlySet<string>;
  readonly attachments: readonly NewAttachment[];
}

/** Sends one prompt and prints the answer on stdout, everything else on stderr; returns the exit code. */
async function runSinglePrompt(
  prompt: string,
  session: Session,
  { json = false, unanswerable, attachments }: SinglePromptOptions,
  { terminal, signal }: CommandContext,
): Promise<number> {
  using _mute = terminal.mute();
  // Ctrl-C stops the answer, also if it runs in the gateway.
  const stop = () => void session.stop().catch(() => {});
  signal.addEventListener('abort', stop, { once: true });
  const { message, conversation } = await session.answer((chat, id) => {
    signal.throwIfAborted();
    return chat.send(id, prompt, attachments);
  });
  signal.removeEventListener('abort', stop);
  if (json) terminal.print(jsonText({ text: textOf(message), message, conversation }));
  return report(message, unanswerable, terminal);
}

function textOf({ parts }: Message): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
}

function report(message: Message, unanswerable: ReadonlySet<string>, terminal: CommandContext['terminal']): number {
  const problem = problemOf(message);
  if (problem !== undefined) terminal.say(logLine(terminal, 'error', problem));
  const calls = message.parts.filter((part) => part.type === 'tool-call');
  const denied = calls.filter(({ status }) => status === 'denied');
  const unanswered = denied.filter(({ callId = '' }) => unanswerable.has(callId));
  if (unanswered.length > 0) terminal.say(terminal.noteColors.dim(`→ ${howToAllow(unanswered)}`));
  if (message.status === 'complete') return denied.length > 0 ? exitCodes.denied : exitCodes.ok;
  return message.status === 'error' || message.status === 'interrupted' ? exitCodes.unavailable : exitCodes.problem;
}

function howToAllow(denied: readonly ToolCallPart[]): string {
  const names = [...new Set(denied.map(nameOf))].join(', ');
  return `No terminal is available to approve ${names}: use --auto to allow every tool, or --trusted-only to allow those that the assistant trusts (\`toolwharf assistants edit NAME --trusted-tool TOOL\`). With a running gateway, --wait waits for an answer in the app`;
}

/** Denies a call that awaits approval in the gateway. With `--wait`, says how to answer it elsewhere. */
async function answerWithoutTerminal(
  part: ToolCallPart,
  approval: string,
  { wait }: ChatOptions,
  host: ChatHost,
  context: CommandContext,
): Promise<void> {
  if (wait && !host.isOwn) return reportPendingApproval(part, approval, context);
  try {
    await host.denyUnanswerable(part.callId ?? '', approval);
  } catch {
    // Somebody else answered first, or the caller may not answer.
    reportPendingApproval(part, approval, context);
  }
}

/** Says how to answer a call that awaits approval in the gateway, where no prompt is shown. */
function reportPendingApproval(part: ToolCallPart, approval: string, { terminal }: CommandContext): void {
  const id = shortId(approval);
  const call = part.approvalId === approval ? nameOf(part) : `A call of ${nameOf(part)}`;
  terminal.say(`${call} awaits approval: run \`toolwharf approvals allow ${id}\` or \`deny ${id}\``);
}
