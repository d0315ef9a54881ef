import { z } from 'zod';
import { ToolwharfError } from '../../kernel/errors.ts';

/** Tokens that models read and wrote; zero for providers that do not report them. */
export const usageSchema = z.strictObject({
  inputTokens: z.int().min(0),
  outputTokens: z.int().min(0),
  /** Some of it was estimated, since the provider did not report it. */
  estimated: z.literal(true).optional(),
});

export type Usage = z.output<typeof usageSchema>;

/** Data by provider name that the provider needs back with this part, such as signatures. */
const metadataSchema = z.record(z.string(), z.record(z.string(), z.unknown())).optional();

/** A tool call of a model. Arguments and result are those of the call in the journal, shortened for display. */
export const toolCallPartSchema = z.strictObject({
  type: z.literal('tool-call'),
  /** The model's id for the call. */
  id: z.string(),
  /** The id of the call in the journal; undefined until the call starts. */
  callId: z.string().optional(),
  /** The name the model used. */
  name: z.string(),
  /** The tool's exposed name in the toolbox; undefined if there is no such tool. */
  tool: z.string().optional(),
  server: z.string().optional(),
  originalName: z.string().optional(),
  arguments: z.record(z.string(), z.unknown()),
  /** `waiting`: not started. `asked`: waits for approval. `unknown`: the gateway stopped before the tool ended. */
  status: z.enum(['waiting', 'asked', 'running', 'success', 'error', 'denied', 'cancelled', 'unknown']),
  /** The approval that the call waits for while it is `asked`. */
  approvalId: z.string().optional(),
  /** The rule that allowed the call. */
  rule: z.string().optional(),
  progress: z
    .strictObject({ progress: z.number(), total: z.number().optional(), message: z.string().optional() })
    .optional(),
  /** The result that the model got. */
  result: z
    .strictObject({
      isError: z.boolean(),
      /** MCP content blocks. */
      content: z.array(z.record(z.string(), z.unknown())),
      structuredContent: z.unknown().optional(),
      errorCode: z.string().optional(),
      /** Set if the result is shortened; the journal may have the whole under `callId`. */
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
  /** The model's reasoning. */
  z.strictObject({ type: z.literal('reasoning'), text: z.string(), metadata: metadataSchema }),
  toolCallPartSchema,
  /** Starts another turn of the model, after the results of the tool calls before it. */
  z.strictObject({ type: z.literal('step') }),
]);

export type MessagePart = z.output<typeof messagePartSchema>;

export const messageSchema = z.strictObject({
  id: z.uuid(),
  role: z.enum(['user', 'assistant']),
  parts: z.array(messagePartSchema),
  /**
   * `streaming`: in progress. `stopped`: a person stopped it. `interrupted`: the gateway stopped during the answer.
   * `limited`: it reached the assistant's limit of steps or tokens. `error`: the model failed.
   */
  status: z.enum(['streaming', 'complete', 'stopped', 'interrupted', 'limited', 'error']),
  /** Why the message is not complete, as a text for people. */
  problem: z.string().optional(),
  /** The model that answered, as a display name. */
  model: z.string().optional(),
  usage: usageSchema.optional(),
  /** Time that models and tools worked on the message, without the time of approvals. */
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
  /** The profile of the owner, if any; it limits the assistant's tools too. */
  profile: z.string().optional(),
  /** `asking`: an answer is in progress and waits for an approval. */
  status: z.enum(['idle', 'running', 'asking']),
  usage: usageSchema,
  /** Time that models and tools worked on all answers, without the time of approvals. */
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

/** The store of conversations. */
export interface ConversationStore {
  /** Most recently changed first. */
  list(filter?: ConversationFilter): Promise<readonly Conversation[]>;
  get(id: string): Promise<Conversation | undefined>;
  /** Adds the conversation with this process as its owner, or replaces the one with the same id. */
  put(conversation: Conversation): Promise<void>;
  /** Removes the conversation with its messages; returns false if there is none with this id. */
  remove(id: string): Promise<boolean>;
  /** Oldest first. */
  messages(conversation: string): Promise<readonly Message[]>;
  /** Appends the message, or replaces the one with the same id. Rejects with `NOT_FOUND` if there is no conversation. */
  putMessage(conversation: string, message: Message): Promise<void>;
  /** Removes a message and all after it. */
  cutMessages(conversation: string, from: string): Promise<void>;
  /** Makes this process the owner; returns false if there is none with this id, or another live process is answering. */
  claim(id: string): Promise<boolean>;
  /**
   * Takes over the conversations that are not idle and have no live owner: their process stopped during an answer. The result
   * includes those that this process is answering.
   */
  abandoned(): Promise<readonly Conversation[]>;
}

/** The error for a conversation that does not exist. */
export function noConversation(id: string): ToolwharfError {
  return new ToolwharfError('NOT_FOUND', `There is no conversation '${id}'`, { data: { conversation: id } });
}
