import type { AppPart } from '../storage/ports/conversation-store.ts';

/** The limits of what apps write into one message. */
export const appTextLimits = { maxLength: 16_000, maxTexts: 8 } as const;

/**
 * The text of an app, for the model. Every line is quoted, so that the app cannot end the quote and speak as the user.
 */
export function toAppNote({ kind, server, text }: AppPart): string {
  const name = JSON.stringify(server);
  const intro =
    kind === 'context'
      ? `Context from the app of server ${name}. The app wrote it, not the user:`
      : `Message from the app of server ${name}. The app wrote it, and the user allowed to send it:`;
  return [intro, ...text.split(/\r\n|[\n\r\u2028\u2029]/).map((line) => `> ${line}`)].join('\n');
}
