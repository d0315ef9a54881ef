import { z } from 'zod';
import {
  conversationSchema,
  messagePartSchema,
  messageSchema,
  toolCallPartSchema,
  usageSchema,
} from '../../../storage/ports/conversation-store.ts';
import { answer, body, list } from './named.ts';

answer('Usage', usageSchema);
answer('ToolCallPart', toolCallPartSchema);
answer('MessagePart', messagePartSchema);

export const messageViewSchema = answer('Message', messageSchema);
export const conversationViewSchema = answer('Conversation', conversationSchema);

export const conversationListSchema = answer(
  'ConversationList',
  z.strictObject({ conversations: list(conversationSchema) }),
);

export const conversationContentSchema = answer(
  'ConversationContent',
  z.strictObject({ conversation: conversationSchema, messages: list(messageSchema).describe('Oldest first.') }),
);

const title = z.string().trim().min(1).max(200);

export const conversationInputSchema = body(
  'ConversationInput',
  z.strictObject({
    assistantId: z.uuid().optional().describe('The first assistant by name if absent.'),
    title: title.optional().describe('Derived from the first message if absent.'),
  }),
);

export const conversationChangeSchema = body(
  'ConversationChange',
  z.strictObject({ title: title.optional(), assistantId: z.uuid().optional() }),
);

export const messageInputSchema = body('MessageInput', z.strictObject({ text: z.string().min(1).max(200_000) }));

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
    z.strictObject({ message: z.string().describe('This message and all later ones were deleted.') }),
  ),
  removed: answer('ChatRemovedEvent', z.strictObject({})),
} as const;
