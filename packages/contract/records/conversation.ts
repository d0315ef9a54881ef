import { z } from 'zod';
import { approvalScopes, ruleAudiences } from '../approvals.ts';
import { modelChoiceSchema } from './assistant.ts';

/** Tokens that models read and wrote; zero for providers that do not report them. */
export const usageSchema = z.strictObject({
  inputTokens: z.int().min(0),
  outputTokens: z.int().min(0),
  /** The input tokens that the provider read from its cache; undefined if it does not report them. */
  cachedInputTokens: z.int().min(0).optional(),
  /** Some of the figures are estimated, because the provider did not report them. */
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
  /**
   * `waiting`: not started. `asked`: waits for approval. `expired`: nobody answered the approval. `unknown`: the gateway stopped before
   * the tool ended.
   */
  status: z.enum(['waiting', 'asked', 'running', 'success', 'error', 'denied', 'expired', 'cancelled', 'unknown']),
  /** The approval that the call waits for while it is `asked`. */
  approvalId: z.string().optional(),
  /** The approvals that calls of this chain or script wait for while it is `asked`. */
  stepApprovalIds: z.array(z.string()).optional(),
  /** What a person answered to the approval of the call. */
  answered: z
    .strictObject({
      approval: z.string(),
      answer: z.enum(['allow', 'deny']),
      scope: z.enum(approvalScopes),
      audience: z.enum(ruleAudiences).optional(),
      by: z.string().optional(),
    })
    .optional(),
  /** The rule that allowed the call. */
  rule: z.string().optional(),
  progress: z
    .strictObject({ progress: z.number(), total: z.number().optional(), message: z.string().optional() })
    .optional(),
  /** The URI of the app that shows the result. */
  app: z.string().optional(),
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

/** A file of the user. Its content is stored with the conversation and read with `readAttachment`. */
export const attachmentPartSchema = z.strictObject({
  type: z.literal('attachment'),
  id: z.uuid(),
  name: z.string(),
  /** `image`: sent to the model as an image. `text`: sent as text. The content decides, not the name. */
  kind: z.enum(['image', 'text']),
  mediaType: z.string(),
  sizeBytes: z.int(),
});

export type AttachmentPart = z.output<typeof attachmentPartSchema>;

/** What an app of a server (MCP Apps) wrote into a message of the user. The user saw it before it was sent. */
export const appPartSchema = z.strictObject({
  type: z.literal('app'),
  /** `message`: the app sent it and the user allowed that. `context`: it was sent with a message of the user. */
  kind: z.enum(['message', 'context']),
  /** The call that opened the app, and its server. */
  callId: z.string(),
  server: z.string(),
  text: z.string(),
});

export type AppPart = z.output<typeof appPartSchema>;

export const messagePartSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text: z.string(), metadata: metadataSchema }),
  /** The model's reasoning. */
  z.strictObject({ type: z.literal('reasoning'), text: z.string(), metadata: metadataSchema }),
  toolCallPartSchema,
  attachmentPartSchema,
  appPartSchema,
  /** Starts another turn of the model, after the results of the tool calls before it. */
  z.strictObject({ type: z.literal('step') }),
]);

export type MessagePart = z.output<typeof messagePartSchema>;

export const messageSchema = z.strictObject({
  id: z.uuid(),
  /** The message that this one follows; undefined for the first message. Messages that follow the same one are versions. */
  parentId: z.uuid().optional(),
  /** The ids of all versions of this message, oldest first; only in answers of the API, and only if there are several. */
  versions: z.array(z.uuid()).optional(),
  role: z.enum(['user', 'assistant']),
  parts: z.array(messagePartSchema),
  /**
   * `streaming`: in progress. `stopped`: a person stopped it. `interrupted`: the gateway stopped during the answer.
   * `limited`: it reached the assistant's limit of steps or tokens. `error`: the model failed.
   */
  status: z.enum(['streaming', 'complete', 'stopped', 'interrupted', 'limited', 'error']),
  /** Why the message is not complete, as a text for people. */
  problem: z.string().optional(),
  /** What an answer in progress waits for: the first output of the model, or the next attempt after a failure that may pass. */
  waitsFor: z
    .discriminatedUnion('what', [
      z.strictObject({ what: z.literal('model'), since: z.string() }),
      z.strictObject({ what: z.literal('retry'), since: z.string(), until: z.string(), reason: z.string() }),
    ])
    .optional(),
  /** The model that answered, as a display name. */
  model: z.string().optional(),
  usage: usageSchema.optional(),
  /** The cost in US dollars, by the prices that were configured for the model; undefined without prices. */
  costUsd: z.number().optional(),
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
  /** The model that answers instead of the assistant's. */
  model: modelChoiceSchema.optional(),
  /** The caller it belongs to. */
  owner: z.string(),
  /** The profile of the owner, if any; it limits the assistant's tools too. */
  profile: z.string().optional(),
  /** `asking`: an answer is in progress and waits for an approval. */
  status: z.enum(['idle', 'running', 'asking']),
  /** The selected branch goes through this message and then through the newest ones; through the newest first message if undefined. */
  selectedId: z.uuid().optional(),
  usage: usageSchema,
  /** The cost of all answers in US dollars; undefined if no answer has a cost. */
  costUsd: z.number().optional(),
  /** Time that models and tools worked on all answers, without the time of approvals. */
  durationMs: z.number(),
  createdAt: z.string(),
  updatedAt: z.string(),
});

export type Conversation = z.output<typeof conversationSchema>;
