/** The limits of what apps write into one message. */
export const appTextLimits = { maxLength: 16_000, maxTexts: 8 } as const;

/** The limits of attachments. The files of one message fit into one request of the default size. */
export const attachmentLimits = {
  maxFiles: 8,
  /** The limit for all files of one message. */
  maxMessageBytes: 2.5 * 1024 * 1024,
  maxTextBytes: 256 * 1024,
  maxConversationFiles: 200,
  maxConversationBytes: 32 * 1024 * 1024,
} as const;
