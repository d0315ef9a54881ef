import { z } from 'zod';
import { lazy } from '../lazy.ts';
import { duration, filledText, list } from './schema-parts.ts';

const time = () => filledText.regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time such as 18:30');

const quietHoursSchema = lazy(() =>
  z.strictObject(
    {
      from: time().describe('When they begin, such as 18:30.'),
      to: time().describe('When they end. A time before the beginning is on the next day.'),
      timeZone: filledText
        .refine(isTimeZone, 'must be a time zone such as Europe/Berlin')
        .optional()
        .describe("The time zone of both times. Default: the machine's."),
      weekends: z
        .literal('quiet', { error: "must be 'quiet', or left out" })
        .optional()
        .describe('quiet: Saturdays and Sundays are quiet too.'),
    },
    { error: 'must be a map with from and to' },
  ),
);

const common = {
  name: filledText
    .regex(/^[a-z0-9-]{1,40}$/, 'must have 1 to 40 of a-z, 0-9 and -')
    .describe('The name of the channel in logs and URLs.'),
  after: duration()
    .optional()
    .describe('Sends approvals that are still unanswered after this time, to escalate them. Default: at once.'),
  quietHours: quietHoursSchema()
    .optional()
    .describe('When nothing is sent. Approvals that still wait afterwards are sent then.'),
};

const address = () =>
  filledText.describe(
    'Where messages are posted: the incoming webhook of a Slack app, the webhook of a Teams workflow, or a program. May be ${VAR}.',
  );

const slackSchema = lazy(() =>
  z.strictObject({
    type: z.literal('slack'),
    ...common,
    url: address(),
    signingSecret: filledText
      .optional()
      .describe('The signing secret of the Slack app: with it, messages have buttons. Preferably ${VAR}.'),
    people: z
      .record(filledText, filledText, { error: 'must be a map' })
      .optional()
      .describe('The e-mail addresses with which people sign in to the gateway, by their member id in Slack.'),
  }),
);

const teamsSchema = lazy(() =>
  z.strictObject({
    type: z.literal('teams'),
    ...common,
    url: address(),
  }),
);

const emailSchema = lazy(() =>
  z.strictObject({
    type: z.literal('email'),
    ...common,
    server: filledText.describe(
      'The SMTP server, such as smtps://name:password@smtp.example.com or smtp://localhost:25; preferably ${VAR}.',
    ),
    from: filledText.describe('The sender, such as Toolwharf <toolwharf@example.com>.'),
    to: list(z.email({ error: 'must be an e-mail address' }))
      .optional()
      .describe(
        'The people who get a message, by the address with which they sign in. Default: everyone who may answer the approval.',
      ),
  }),
);

const webhookSchema = lazy(() =>
  z.strictObject({
    type: z.literal('webhook'),
    ...common,
    url: address(),
    secret: filledText.optional().describe('The secret that signs each message (HMAC-SHA256); preferably ${VAR}.'),
  }),
);

/** A place where people learn of approvals. */
export const notificationSchema = lazy(() =>
  z.discriminatedUnion('type', [slackSchema(), teamsSchema(), emailSchema(), webhookSchema()], {
    error: "must be a map with the type 'slack', 'teams', 'email' or 'webhook'",
  }),
);

export type NotificationConfig = z.output<ReturnType<typeof notificationSchema>>;
export type QuietHours = z.output<ReturnType<typeof quietHoursSchema>>;

export const notificationsSchema = lazy(() =>
  list(notificationSchema()).refine(
    (channels) => new Set(channels.map(({ name }) => name)).size === channels.length,
    'two channels have the same name',
  ),
);

function isTimeZone(timeZone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
