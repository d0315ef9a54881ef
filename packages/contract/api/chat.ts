import { z } from 'zod';
import { appTextLimits, attachmentLimits } from '../chat.ts';
import { modelChoiceSchema } from '../records/assistant.ts';
import {
  appPartSchema,
  attachmentPartSchema,
  conversationSchema,
  messagePartSchema,
  messageSchema,
  toolCallPartSchema,
  usageSchema,
} from '../records/conversation.ts';
import { answer, body, list } from './named.ts';

answer('Usage', usageSchema);
answer('ToolCallPart', toolCallPartSchema);
answer('AttachmentPart', attachmentPartSchema);
answer('AppPart', appPartSchema);
answer('MessagePart', messagePartSchema);

export const messageViewSchema = answer('Message', messageSchema);
export const conversationViewSchema = answer('Conversation', conversationSchema);

export const conversationListSchema = answer(
  'ConversationList',
  z.strictObject({ conversations: list(conversationSchema) }),
);

export const conversationContentSchema = answer(
  'ConversationContent',
  z.strictObject({
    conversation: conversationSchema,
    messages: list(messageSchema).describe('The selected branch, oldest first.'),
  }),
);

export const exportedConversationSchema = answer(
  'ExportedConversation',
  z.strictObject({
    format: z.literal('toolwharf-conversation'),
    version: z.literal(1),
    conversation: conversationSchema,
    messages: list(messageSchema).describe('The messages of all branches, oldest first.'),
  }),
);

const title = z.string().trim().min(1).max(200);

export const conversationInputSchema = body(
  'ConversationInput',
  z.strictObject({
    assistantId: z.uuid().optional().describe('The first assistant by name if absent.'),
    model: modelChoiceSchema.optional().describe("Answers instead of the assistant's model."),
    title: title.optional().describe('Derived from the first message if absent.'),
  }),
);

export const conversationChangeSchema = body(
  'ConversationChange',
  z.strictObject({
    title: title.optional(),
    assistantId: z.uuid().optional().describe("Also returns to the assistant's model."),
    model: modelChoiceSchema
      .nullable()
      .optional()
      .describe("Answers from now on; null returns to the assistant's model."),
  }),
);

const messageText = z.string().max(200_000);

export const attachmentInputSchema = body(
  'AttachmentInput',
  z.strictObject({
    name: z.string().min(1).max(500).describe('The name of the file. The content decides what the file is.'),
    data: z.base64().min(1).describe('The content: an image (PNG, JPEG, GIF, WebP) or a text in UTF-8.'),
  }),
);

const appTextSchema = body(
  'AppText',
  z.strictObject({
    call: z.string().max(100).describe('The call of this conversation that opened the app.'),
    kind: appPartSchema.shape.kind.describe(
      '`message`: a message of the app, which the user has allowed. `context`: the latest context of the app for the model.',
    ),
    text: z.string().min(1).max(appTextLimits.maxLength),
  }),
);

export const messageInputSchema = body(
  'MessageInput',
  z
    .strictObject({
      text: messageText,
      attachments: z
        .array(attachmentInputSchema)
        .max(attachmentLimits.maxFiles)
        .optional()
        .describe(
          `Up to ${attachmentLimits.maxFiles} files, together up to ${attachmentLimits.maxMessageBytes} bytes.`,
        ),
      apps: z
        .array(appTextSchema)
        .max(appTextLimits.maxTexts)
        .optional()
        .describe(
          'What apps (MCP Apps) of this conversation say. The model is told that the app wrote it, not the user.',
        ),
    })
    .refine(hasContent, {
      path: ['text'],
      error: 'must not be empty',
    }),
);

function hasContent({ text, attachments = [], apps = [] }: MessageContent): boolean {
  return text !== '' || attachments.length > 0 || apps.some(({ kind }) => kind === 'message');
}

interface MessageContent {
  readonly text: string;
  readonly attachments?: readonly unknown[];
  readonly apps?: readonly { readonly kind: string }[];
}

export const messageEditSchema = body('MessageEdit', z.strictObject({ text: messageText.min(1) }));

export const attachmentSchema = answer(
  'Attachment',
  z.strictObject({ id: z.string(), sizeBytes: z.int(), data: z.string().describe('Base64.') }),
);

const highlights = z
  .array(z.tuple([z.int(), z.int()]).readonly())
  .readonly()
  .describe('Matching ranges of the text, as start and end.');

const messageMatchSchema = answer(
  'MessageMatch',
  z.strictObject({
    id: z.string(),
    role: messageSchema.shape.role,
    createdAt: z.string(),
    excerpt: z.string().describe('The text around the first match.'),
    highlights,
  }),
);

export const conversationMatchSchema = answer(
  'ConversationMatch',
  z.strictObject({
    conversation: conversationSchema,
    titleHighlights: highlights,
    messages: list(messageMatchSchema).describe('The newest matching messages, of any branch.'),
  }),
);

export const conversationMatchListSchema = answer(
  'ConversationMatchList',
  z.strictObject({
    matches: list(conversationMatchSchema).describe('Latest first, at most as many as `limit`.'),
    total: z.int().describe('All conversations that match.'),
  }),
);

const partAddress = {
  message: z.string().describe('Id of the message.'),
  index: z.int().describe('Index of the part in the message.'),
};

/** The events of `watchConversation`. Applied to the snapshot in order, they keep it up to date. */
export const chatEventSchemas = {
  snapshot: conversationContentSchema,
  conversation: answer('ChatConversationEvent', z.strictObject({ conversation: conversationSchema })),
  message: answer('ChatMessageEvent', z.strictObject({ message: messageSchema.describe('A new or changed message.') })),
  part: answer('ChatPartEvent', z.strictObject({ ...partAddress, part: messagePartSchema })),
  text: answer(
    'ChatTextEvent',
    z.strictObject({ ...partAddress, text: z.string().describe('Text to append to the part.') }),
  ),
  cut: answer(
    'ChatCutEvent',
    z.strictObject({
      message: z.string().describe('This message and all later ones are no longer part of the selected branch.'),
    }),
  ),
  removed: answer('ChatRemovedEvent', z.strictObject({})),
} as const;
