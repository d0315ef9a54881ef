import { z } from 'zod';
import { ToolwharfError } from '../../kernel/errors.ts';

/** What models were asked to read and write. Providers that don't tell are counted as nothing. */
export const usageSchema = z.strictObject({
  inputTokens: z.int().min(0),
  outputTokens: z.int().min(0),
  /** Some of it was not counted by a provider but estimated. */
  estimated: z.literal(true).optional(),
});

export type Usage = z.output<typeof usageSchema>;

/** What a provider wants back with this part when the conversation goes on, by its name: signatures and the like. */
const metadataSchema = z.record(z.string(), z.record(z.string(), z.unknown())).optional();

/** Something a model wants of a tool, and how far that is. Its arguments and result are those of the call in the journal, cut for showing. */
export const toolCallPartSchema = z.strictObject({
  type: z.literal('tool-call'),
  /** The model's own id for it. */
  id: z.string(),
  /** The call in the journal; absent until there is one. */
  callId: z.string().optional(),
  /** The name the model used. */
  name: z.string(),
  /** The tool's name in the toolbox; absent when there is no such tool. */
  tool: z.string().optional(),
  server: z.string().optional(),
  originalName: z.string().optional(),
  arguments: z.record(z.string(), z.unknown()),
  /** `waiting`: not begun. `asked`: a person is being asked. `unknown`: the gateway ended before the tool did. */
  status: z.enum(['waiting', 'asked', 'running', 'success', 'error', 'denied', 'cancelled', 'unknown']),
  /** The question to a person while it is `asked`. */
  approvalId: z.string().optional(),
  progress: z
    .strictObject({ progress: z.number(), total: z.number().optional(), message: z.string().optional() })
    .optional(),
  /** What the model was told. */
  result: z
    .strictObject({
      isError: z.boolean(),
      /** MCP content blocks. */
      content: z.array(z.record(z.string(), z.unknown())),
      structuredContent: z.unknown().optional(),
      errorCode: z.string().optional(),
      /** Set when what is kept here is cut; the whole is in the journal under `callId`, if anywhere. */
      cut: z.literal(true).optional(),
    })
    .optional(),
  startedAt: z.string().optional(),
  completedAt: z.string().optional(),
  metadata: metadataSchema,
});

export type ToolCallPart = z.output<typeof toolCallPartSchema>;

export const messagePartSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text: z.string(), metadata: metadataSchema }),
  /** What the model said it was thinking. */
  z.strictObject({ type: z.literal('reasoning'), text: z.string(), metadata: metadataSchema }),
  toolCallPartSchema,
  /** Begins another turn of the model: what follows it was said after the tools before it had answered. */
  z.strictObject({ type: z.literal('step') }),
]);

export type MessagePart = z.output<typeof messagePartSchema>;

export const messageSchema = z.strictObject({
  id: z.uuid(),
  role: z.enum(['user', 'assistant']),
  parts: z.array(messagePartSchema),
  /**
   * `streaming`: being answered now. `stopped`: a person ended it. `interrupted`: the gateway ended in the middle of it.
   * `limited`: it reached the assistant's limit of steps or tokens. `error`: the model failed.
   */
  status: z.enum(['streaming', 'complete', 'stopped', 'interrupted', 'limited', 'error']),
  /** Why it is not complete, for the person to read. */
  problem: z.string().optional(),
  /** Which model answered, as it is shown. */
  model: z.string().optional(),
  usage: usageSchema.optional(),
  /** How long models and tools worked on it; the time people thought is not in it. */
  durationMs: z.number().optional(),
  createdAt: z.string(),
  completedAt: z.string().optional(),
});

export type Message = z.output<typeof messageSchema>;

export const conversationSchema = z.strictObject({
  id: z.uuid(),
  title: z.string().max(200),
  assistantId: z.string(),
  /** The caller it belongs to. */
  owner: z.string(),
  /** The profile its owner is held to, if any: the tools outside it are not there for the assistant either. */
  profile: z.string().optional(),
  /** `asking`: it runs, and a person is being asked. */
  status: z.enum(['idle', 'running', 'asking']),
  usage: usageSchema,
  /** How long models and tools worked, all answers together; the time people thought is not in it. */
  durationMs: z.number(),
  createdAt: z.string(),
  updatedAt: z.string(),
});

export type Conversation = z.output<typeof conversationSchema>;

export interface ConversationFilter {
  readonly owner?: string;
  /** 100. */
  readonly limit?: number;
}

/** Where conversations are kept. */
export interface ConversationStore {
  /** Latest change first. */
  list(filter?: ConversationFilter): Promise<readonly Conversation[]>;
  get(id: string): Promise<Conversation | undefined>;
  /** Adds it, with this process as the one that works on it, or replaces the one of the same id. */
  put(conversation: Conversation): Promise<void>;
  /** With its messages; false when there is none of that id. */
  remove(id: string): Promise<boolean>;
  /** Oldest first. */
  messages(conversation: string): Promise<readonly Message[]>;
  /** Adds it at the end, or replaces the one of the same id in its place. Rejects with `NOT_FOUND` without the conversation. */
  putMessage(conversation: string, message: Message): Promise<void>;
  /** Removes a message and all that came after it. */
  cutMessages(conversation: string, from: string): Promise<void>;
  /** Makes this process the one that works on it; false when there is none of that id, or another living process answers in it. */
  claim(id: string): Promise<boolean>;
  /**
   * Takes over the conversations that are not idle and that no other living process works on: what was being answered when
   * one ended. Those this process is answering now are among them; it knows which they are.
   */
  abandoned(): Promise<readonly Conversation[]>;
}

/** There is no conversation to work on. */
export function noConversation(id: string): ToolwharfError {
  return new ToolwharfError('NOT_FOUND', `There is no conversation '${id}'`, { data: { conversation: id } });
}
