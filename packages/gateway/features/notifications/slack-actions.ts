import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { messageOf, toToolwharfError } from '../../../contract/errors.ts';
import type { NotificationConfig } from '../../../contract/settings/notifications-schema.ts';
import { type Environment, resolveReference } from '../../../toolwharf/config/references.ts';
import type { Log } from '../../../toolwharf/kernel/log.ts';
import type { UserStore } from '../../../toolwharf/storage/ports/user-store.ts';
import type { Identity } from '../../core/auth/identity.ts';
import { mayUse, type RoleStore, toIdentity } from '../../core/auth/users.ts';
import { sendJson } from '../../core/mcp/responder.ts';
import { postMessage } from './post-message.ts';

type SlackChannel = Extract<NotificationConfig, { readonly type: 'slack' }>;

export interface SlackActionsPorts {
  readonly channels: () => readonly NotificationConfig[];
  readonly users: Pick<UserStore, 'list'>;
  readonly roles: RoleStore;
  readonly env: Environment;
  readonly log: Log;
  readonly stopping: AbortSignal;
  /** Answers the approvals of a message; resolves with how many. */
  readonly answer: (message: string, answer: 'allow' | 'deny', identity: Identity, channel: string) => Promise<number>;
  readonly now?: () => number;
}

const prefix = '/notifications/slack/';
const maxBytes = 262_144;
const maxAgeSeconds = 300;

/** Where Slack sends the buttons that people press: `POST /notifications/slack/{name of the channel}`. */
export function createSlackActions(ports: SlackActionsPorts) {
  const { now = Date.now } = ports;

  function isSigned({ headers }: IncomingMessage, body: Buffer, secret: string): boolean {
    const time = String(headers['x-slack-request-timestamp'] ?? '');
    // A later time would let a recorded request count for longer.
    if (!/^\d{1,12}$/.test(time) || Math.abs(now() / 1_000 - Number(time)) > maxAgeSeconds) return false;
    const expected = Buffer.from(`v0=${createHmac('sha256', secret).update(`v0:${time}:`).update(body).digest('hex')}`);
    const signature = Buffer.from(String(headers['x-slack-signature'] ?? ''));
    return signature.length === expected.length && timingSafeEqual(signature, expected);
  }

  /** The person who signs in with the address that is configured for a member of Slack. */
  async function findPerson({ people = {} }: SlackChannel, member: string): Promise<Identity | undefined> {
    const email = Object.hasOwn(people, member) ? people[member]?.toLowerCase() : undefined;
    if (email === undefined) return undefined;
    const found = (await ports.users.list()).filter((user) => mayUse(user) && user.email?.toLowerCase() === email);
    // Two people with one address: neither is sure to be the one in Slack.
    const [user, ...others] = found;
    return user && others.length === 0 ? toIdentity(user, ports.roles) : undefined;
  }

  /** What the person in Slack reads, and whether it replaces the message. */
  async function act(channel: SlackChannel, payload: Payload): Promise<{ text: string; replaces: boolean }> {
    const [action] = payload.actions;
    if (action?.action_id !== 'allow' && action?.action_id !== 'deny') return { text: '', replaces: false };
    const identity = await findPerson(channel, payload.user.id);
    if (!identity) {
      const text =
        'Toolwharf does not know who you are in Slack. Use Review to sign in and answer, or ask an administrator to add your member id.';
      return { text, replaces: false };
    }
    try {
      const answered = await ports.answer(action.value ?? '', action.action_id, identity, channel.name);
      const verb = action.action_id === 'allow' ? 'allowed' : 'denied';
      const calls = answered === 1 ? 'the call' : `${answered} calls`;
      const who = identity.caller.name ?? identity.caller.id;
      const text = answered === 0 ? 'These calls no longer wait for approval.' : `${who} ${verb} ${calls}.`;
      return { text, replaces: true };
    } catch (cause) {
      const { code, message } = toToolwharfError(cause);
      return { text: message, replaces: code === 'GONE' };
    }
  }

  async function reply(channel: SlackChannel, payload: Payload): Promise<void> {
    const { text, replaces } = await act(channel, payload);
    // Slack names an address of its own: that of the webhook is the only host that is trusted with it.
    const target = URL.parse(payload.response_url);
    if (text === '' || target?.origin !== new URL(channel.url).origin) return;
    const body = JSON.stringify({
      ...(replaces ? { replace_original: true } : { replace_original: false, response_type: 'ephemeral' }),
      text,
      blocks: [{ type: 'section', text: { type: 'plain_text', text, emoji: false } }],
    });
    const signal = AbortSignal.any([ports.stopping, AbortSignal.timeout(10_000)]);
    const outcome = await postMessage(target.href, body, { signal });
    if (outcome !== 'delivered' && !ports.stopping.aborted)
      ports.log.warning('notification.failed', `Slack did not take the answer: ${outcome.reason}`);
  }

  return {
    async serve(request: IncomingMessage, response: ServerResponse, path: string): Promise<boolean> {
      if (!path.startsWith(prefix)) return false;
      const name = path.slice(prefix.length);
      const channel = ports.channels().find((one): one is SlackChannel => one.type === 'slack' && one.name === name);
      if (channel?.signingSecret === undefined || request.method !== 'POST') return false;
      const secret = resolveReference(channel.signingSecret, ports.env);
      const body = await readBody(request);
      if (!body || secret === '' || !isSigned(request, body, secret)) {
        sendJson(response, 401, { error: { code: 'UNAUTHORIZED', message: 'The request is not signed by Slack' } });
        return true;
      }
      const payload = readPayload(body);
      if (!payload) {
        sendJson(response, 400, {
          error: { code: 'REQUEST_INVALID', message: 'The request is no action of a message' },
        });
        return true;
      }
      // Slack waits three seconds for this, and for the text at its own address.
      response.writeHead(200).end();
      reply(channel, payload).catch((cause) =>
        ports.log.warning('notification.failed', `An answer from Slack failed: ${messageOf(cause)}`),
      );
      return true;
    },
  };
}

const payloadSchema = z.object({
  type: z.literal('block_actions'),
  user: z.object({ id: z.string() }),
  actions: z.array(z.object({ action_id: z.string(), value: z.string().optional() })),
  response_url: z.string(),
});

type Payload = z.output<typeof payloadSchema>;

function readPayload(body: Buffer): Payload | undefined {
  try {
    return payloadSchema.parse(JSON.parse(new URLSearchParams(body.toString('utf8')).get('payload') ?? ''));
  } catch {
    return undefined;
  }
}

/** Undefined if it is too long. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of request) {
    length += part.length;
    if (length > maxBytes) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts);
}
