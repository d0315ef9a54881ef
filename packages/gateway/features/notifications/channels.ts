import type { NotificationConfig } from '../../../contract/settings/notifications-schema.ts';
import { type Environment, resolveReference } from '../../../toolwharf/config/references.ts';
import { type ApprovalMessage, isWhole, showCalls, titleOf, tooLarge } from './message.ts';
import { type Delivery, postMessage, signedHeaders } from './post-message.ts';

export interface SendOptions {
  readonly env: Environment;
  readonly now: number;
  readonly signal: AbortSignal;
  /** The address of the person, for channels that reach one person. */
  readonly to?: string;
}

/** Sends a message through a channel. */
export async function sendMessage(
  channel: NotificationConfig,
  message: ApprovalMessage,
  { env, now, signal, to }: SendOptions,
): Promise<Delivery> {
  switch (channel.type) {
    case 'slack':
      return postMessage(channel.url, JSON.stringify(toSlack(message, channel.signingSecret !== undefined)), {
        signal,
      });
    case 'teams':
      return postMessage(channel.url, JSON.stringify(toTeams(message)), { signal });
    case 'webhook': {
      const body = JSON.stringify({
        type: 'approvals.waiting',
        message: message.id,
        approvals: message.requests,
        link: message.link,
      });
      const secret = channel.secret === undefined ? undefined : resolveReference(channel.secret, env);
      if (secret === '')
        return { reason: 'its secret is empty: check the variable or file it is read from', retry: false };
      return postMessage(channel.url, body, {
        headers: signedHeaders(body, { secret, now, delivery: message.id }),
        signal,
      });
    }
    case 'email': {
      const { sendEmail } = await import('./send-email.ts');
      const server = resolveReference(channel.server, env);
      return sendEmail({ server, from: channel.from, to: to ?? '', ...toEmail(message), id: message.id }, signal);
    }
  }
}

/** `blocks` of Slack's Block Kit. All texts are plain, so that none can mention people or link elsewhere. */
export function toSlack(message: ApprovalMessage, hasButtons: boolean) {
  const { calls, more } = showCalls(message);
  const count = message.requests.length;
  const plain = (text: string) => ({ type: 'plain_text', text: text.slice(0, 2_900), emoji: false });
  const button = (answer: 'allow' | 'deny', style: string) => ({
    type: 'button',
    action_id: answer,
    style,
    text: plain(answerLabel(answer, count)),
    value: message.id,
  });
  const elements = [
    ...(hasButtons && isWhole(message) ? [button('allow', 'primary')] : []),
    ...(hasButtons ? [button('deny', 'danger')] : []),
    ...(message.link === undefined
      ? []
      : [{ type: 'button', action_id: 'open', text: plain('Review'), url: message.link }]),
  ];
  return {
    text: titleOf(message),
    blocks: [
      { type: 'header', text: plain(titleOf(message).slice(0, 150)) },
      ...calls.map((call) => ({ type: 'section', text: plain(toLines(call, count > 1).join('\n')) })),
      ...(more > 0 ? [{ type: 'section', text: plain(`And ${more} more.`) }] : []),
      ...(elements.length > 0 ? [{ type: 'actions', elements }] : []),
    ],
  };
}

/** An adaptive card. Text runs show no markup. */
export function toTeams(message: ApprovalMessage) {
  const { calls, more } = showCalls(message);
  const block = (text: string, style: object = {}) => ({
    type: 'RichTextBlock',
    inlines: [{ type: 'TextRun', text, ...style }],
  });
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [
      block(titleOf(message), { weight: 'Bolder', size: 'Medium' }),
      ...calls.flatMap((call) => [
        ...(message.requests.length > 1 ? [block(call.title, { weight: 'Bolder' })] : []),
        ...call.facts.map(([name, text]) => block(`${name}: ${text}`)),
        block(call.arguments ?? tooLarge, { fontType: 'Monospace' }),
      ]),
      ...(more > 0 ? [block(`And ${more} more.`)] : []),
    ],
    actions: message.link === undefined ? [] : [{ type: 'Action.OpenUrl', title: 'Review', url: message.link }],
  };
  return {
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }],
  };
}

function toEmail(message: ApprovalMessage): { readonly subject: string; readonly text: string } {
  const { calls, more } = showCalls(message);
  const parts = [
    `${titleOf(message)}.`,
    ...calls.map((call) => toLines(call, message.requests.length > 1).join('\n')),
    ...(more > 0 ? [`And ${more} more.`] : []),
    message.link === undefined
      ? 'Answer in the Toolwharf app, under Approvals.'
      : `Answer here, within the time that the page shows:\n${message.link}\n\nThe link is for you: it works once, after you have signed in.`,
  ];
  return { subject: titleOf(message), text: parts.join('\n\n') };
}

/** The label of the button that answers all calls of a message. */
export function answerLabel(answer: 'allow' | 'deny', count: number): string {
  const verb = answer === 'allow' ? 'Allow' : 'Deny';
  return count === 1 ? `${verb} once` : `${verb} all ${count}`;
}

function toLines(call: ReturnType<typeof showCalls>['calls'][number], isNamed: boolean): string[] {
  return [
    ...(isNamed ? [call.title] : []),
    ...call.facts.map(([name, text]) => `${name}: ${text}`),
    `Arguments: ${call.arguments ?? tooLarge}`,
  ];
}
