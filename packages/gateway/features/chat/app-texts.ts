import type { AppPart } from '../../../contract/records/conversation.ts';

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
