import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApi, type TestApi } from '../support/api.ts';
import { fixture } from '../support/fixtures.ts';
import {
  createTestBrowser,
  signInAs,
  startIdentityProvider,
  type TestIdentityProvider,
} from '../support/identity-provider.ts';
import { type Mailbox, startMailbox } from '../support/mailbox.ts';
import { type MessageSink, startMessageSink } from '../support/message-sink.ts';
import { waitFor } from '../support/wait-for.ts';

const signingSecret = 'slack-SIGNING-secret';
const hookSecret = 'hook-SECRET';

let provider: TestIdentityProvider;
let mailbox: Mailbox;
let sink: MessageSink;
let api: TestApi;

beforeAll(async () => {
  [provider, mailbox, sink] = await Promise.all([startIdentityProvider(), startMailbox(), startMessageSink()]);
  await provider.setPerson('root', { name: 'Root', email: 'Root@example.com', groups: ['admins'] });
  await provider.setPerson('ann', { name: 'Ann', email: 'ann@example.com', groups: ['approvers'] });
  await provider.setPerson('mia', { name: 'Mia', email: 'mia@example.com', groups: ['staff'] });
  api = await startApi(
    {
      servers: { s: fixture('legacy') },
      toolbox: { approval: { ask: ['*_add', '*_echo'] } },
      gateway: {
        oidc: { ...provider.oidc, roles: { admin: ['admins'], approver: ['approvers'], member: ['staff'] } },
        notifications: [
          { name: 'mail', type: 'email', server: '${MAIL}', from: 'Toolwharf <tools@example.com>' },
          {
            name: 'team',
            type: 'slack',
            url: `${sink.url}/services/T1/B1/x`,
            signingSecret: '${SLACK}',
            people: { U0ANN: 'ann@example.com', U0MIA: 'mia@example.com' },
          },
          { name: 'teams', type: 'teams', url: `${sink.url}/workflows/1` },
          { name: 'program', type: 'webhook', url: `${sink.url}/program`, secret: hookSecret },
          { name: 'later', type: 'webhook', url: `${sink.url}/later`, after: '6s' },
        ],
      },
    },
    { env: { ...process.env, MAIL: mailbox.url, SLACK: signingSecret } },
  );
  // Recipients are people who have signed in before.
  for (const login of ['root', 'ann', 'mia']) await signedIn(login);
});
afterAll(async () => {
  await api?.close();
  await Promise.all([provider, mailbox, sink].map((one) => one?.[Symbol.asyncDispose]()));
});

async function signedIn(login: string) {
  const browser = createTestBrowser();
  await signInAs(browser, api.url, login);
  return { headers: { cookie: browser.cookieFor(api.url), 'x-toolwharf': '1' } };
}

/** Starts calls of a person; resolves when the approvals wait. */
async function ask(login: string, texts: readonly string[]) {
  const own = await signedIn(login);
  const calls = texts.map((text) => api.post('/api/tools/mcp_s_echo/call', { arguments: { text } }, own));
  const pending = await waitFor(async () => {
    const { body } = await api.get('/api/approvals?status=pending', { key: api.adminToken });
    const waiting = body.approvals.filter(({ arguments: args }: { arguments: { text: string } }) =>
      texts.includes(args.text),
    );
    return waiting.length === texts.length ? waiting : undefined;
  });
  return { own, calls, ids: (pending ?? []).map(({ id }: { id: string }) => id) as string[] };
}

const mailsAbout = (text: string) => mailbox.mails.filter((mail) => mail.text.includes(text));
const linkIn = (text: string) => /\/answer\/(\S+)/.exec(text)?.[1] ?? '';
const about = (path: string, text: string) => sink.at(path).filter(({ body }) => JSON.stringify(body).includes(text));
const slackPath = '/services/T1/B1/x';
/** What the buttons of a message send. */
const buttonIn = (text: string): string => about(slackPath, text)[0]?.body.blocks.at(-1)?.elements[0]?.value ?? '';

/** A request as Slack sends it when somebody presses a button. */
function pressInSlack(member: string, action: string, value: string, options: { secret?: string; at?: number } = {}) {
  const time = Math.floor((options.at ?? Date.now()) / 1_000);
  const payload = {
    type: 'block_actions',
    user: { id: member, username: 'x', name: 'x', team_id: 'T1' },
    api_app_id: 'A1',
    token: 'old-verification-token',
    container: { type: 'message', message_ts: '1763589000.000100', channel_id: 'C1', is_ephemeral: false },
    trigger_id: '1.2.3',
    team: { id: 'T1', domain: 'example' },
    channel: { id: 'C1', name: 'approvals' },
    state: { values: {} },
    response_url: `${sink.url}/actions/${member}/${action}`,
    actions: [
      {
        action_id: action,
        block_id: 'b1',
        text: { type: 'plain_text', text: 'Allow once', emoji: false },
        value,
        style: 'primary',
        type: 'button',
        action_ts: '1763589001.000200',
      },
    ],
  };
  const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
  const mac = createHmac('sha256', options.secret ?? signingSecret)
    .update(`v0:${time}:${body}`)
    .digest('hex');
  return fetch(`${api.url}/notifications/slack/team`, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'x-slack-request-timestamp': String(time),
      'x-slack-signature': `v0=${mac}`,
    },
    body,
  });
}

describe('messages about approvals', () => {
  test('a burst of approvals of one caller is one message per channel, and escalation follows for what nobody has answered', async () => {
    const { calls, own } = await ask('mia', ['burst-1', 'burst-2', 'burst-3']);
    await waitFor(() => mailsAbout('burst-1').length === 2 && about('/program', 'burst-1').length === 1);
    await waitFor(() => about(slackPath, 'burst-1').length === 1 && about('/workflows/1', 'burst-1').length === 1);
    // Only those who may answer: not Mia, whose calls they are.
    expect(
      mailsAbout('burst-1')
        .flatMap(({ to }) => to)
        .sort(),
    ).toEqual(['ann@example.com', 'root@example.com']);
    for (const { text } of mailsAbout('burst-1')) {
      expect(text).toContain('Subject: Mia asks to make 3 calls');
      for (const part of ['burst-2', 'burst-3', 's/echo', 'Reason: ']) expect(text).toContain(part);
    }
    const [slack] = about(slackPath, 'burst-1');
    expect(slack?.body.text).toBe('Mia asks to make 3 calls');
    expect(slack?.body.blocks.at(-1)).toMatchObject({
      type: 'actions',
      elements: [
        { type: 'button', action_id: 'allow', text: { type: 'plain_text', text: 'Allow all 3' }, style: 'primary' },
        { type: 'button', action_id: 'deny', text: { type: 'plain_text', text: 'Deny all 3' }, style: 'danger' },
        { type: 'button', action_id: 'open', url: expect.stringContaining(`${api.url}/answer/`) },
      ],
    });
    const [teams] = about('/workflows/1', 'burst-1');
    expect(teams?.body).toMatchObject({
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          contentUrl: null,
          content: {
            type: 'AdaptiveCard',
            version: '1.4',
            actions: [{ type: 'Action.OpenUrl', url: expect.stringContaining('/answer/') }],
          },
        },
      ],
    });
    const [program] = about('/program', 'burst-1');
    expect(program?.body).toMatchObject({ type: 'approvals.waiting', approvals: [{}, {}, {}] });
    expect(program?.headers['x-toolwharf-signature']).toMatch(/^sha256=[0-9a-f]{64}$/);
    await waitFor(() => about('/later', 'burst-1').length === 1, { what: 'the escalation' });
    expect(about('/later', 'burst-1')[0]?.body.approvals).toHaveLength(3);
    // One answer to all three, by a person who may.
    const ann = await signedIn('ann');
    const link = linkIn(mailsAbout('burst-1').find(({ to }) => to[0] === 'ann@example.com')?.text ?? '');
    const { body } = await api.post(`/api/approval-links/${link}/answer`, { answer: 'allow' }, ann);
    expect(body).toEqual({ answered: 3 });
    expect((await Promise.all(calls)).map((call) => call.body.text)).toEqual(['burst-1', 'burst-2', 'burst-3']);
    expect((await api.get('/api/approvals?status=pending', own)).body.approvals).toEqual([]);
    expect(about(slackPath, 'burst-1')).toHaveLength(1);
  });

  test('a link counts for its recipient only, after a sign-in, and once', async () => {
    const { calls, ids } = await ask('mia', ['linked']);
    await waitFor(() => mailsAbout('linked').length === 2);
    const text = mailsAbout('linked').find(({ to }) => to[0] === 'ann@example.com')?.text ?? '';
    const link = linkIn(text);
    const path = `/api/approval-links/${link}`;
    const [root, ann, mia] = [await signedIn('root'), await signedIn('ann'), await signedIn('mia')];
    expect((await api.get(path)).status).toBe(401);
    // Forwarded: neither another administrator nor the caller gets anything with it.
    for (const other of [root, mia]) {
      expect((await api.get(path, other)).status).toBe(403);
      expect((await api.post(`${path}/answer`, { answer: 'allow' }, other)).status).toBe(403);
    }
    expect((await api.get(path, { key: api.adminToken })).status).toBe(403);
    expect((await api.get(`/api/approval-links/${link.slice(0, -2)}xx`, ann)).status).toBe(404);
    expect((await api.get(path, ann)).body.approvals).toMatchObject([{ id: ids[0], mayAnswer: true }]);
    expect((await api.post(`${path}/answer`, { answer: 'deny' }, ann)).body).toEqual({ answered: 1 });
    expect((await calls[0])?.body.error.code).toBe('CALL_DENIED');
    expect((await api.post(`${path}/answer`, { answer: 'allow' }, ann)).status).toBe(410);
    expect((await api.get(path, ann)).status).toBe(410);
    const { body } = await api.get(`/api/approvals/${ids[0]}`, root);
    expect(body).toMatchObject({ status: 'denied', answeredBy: expect.stringContaining('Ann') });
  });

  test('the link of a channel message answers as whoever signs in, and never for the person whose call it is', async () => {
    const { calls } = await ask('ann', ['own-call']);
    await waitFor(() => about('/workflows/1', 'own-call').length === 1 && mailsAbout('own-call').length === 1);
    expect(mailsAbout('own-call')[0]?.to).toEqual(['root@example.com']);
    const link = linkIn(about('/workflows/1', 'own-call')[0]?.body.attachments[0].content.actions[0].url);
    const [ann, root] = [await signedIn('ann'), await signedIn('root')];
    expect((await api.post(`/api/approval-links/${link}/answer`, { answer: 'allow' }, ann)).status).toBe(403);
    expect((await api.post(`/api/approval-links/${link}/answer`, { answer: 'allow' }, root)).body.answered).toBe(1);
    expect((await calls[0])?.body.text).toBe('own-call');
  });
});

describe('buttons in Slack', () => {
  test('a button answers as the person whom the member id stands for', async () => {
    const { calls, ids } = await ask('mia', ['pressed']);
    await waitFor(() => about(slackPath, 'pressed').length === 1);
    const value = buttonIn('pressed');
    expect((await pressInSlack('U0ANN', 'allow', value)).status).toBe(200);
    expect((await calls[0])?.body.text).toBe('pressed');
    const [reply] =
      (await waitFor(() =>
        sink.at('/actions/U0ANN/allow').length > 0 ? sink.at('/actions/U0ANN/allow') : undefined,
      )) ?? [];
    expect(reply?.body).toMatchObject({ replace_original: true, text: 'Ann allowed the call.' });
    const root = await signedIn('root');
    const { body } = await api.get(`/api/approvals/${ids[0]}`, root);
    expect(body).toMatchObject({ status: 'used', answeredBy: expect.stringContaining('Ann') });
    const acts = await api.get('/api/calls?kind=administration', root);
    expect(JSON.stringify(acts.body)).toContain('answerApproval');
  });

  test('an unsigned, old or unknown press changes nothing', async () => {
    const { calls, ids } = await ask('mia', ['guarded']);
    await waitFor(() => about(slackPath, 'guarded').length === 1);
    const value = buttonIn('guarded');
    expect((await pressInSlack('U0ANN', 'allow', value, { secret: 'guess' })).status).toBe(401);
    expect((await pressInSlack('U0ANN', 'allow', value, { at: Date.now() - 600_000 })).status).toBe(401);
    expect((await pressInSlack('U0ANN', 'allow', value, { at: Date.now() + 600_000 })).status).toBe(401);
    expect((await fetch(`${api.url}/notifications/slack/team`, { method: 'POST', body: 'payload={}' })).status).toBe(
      401,
    );
    // A member whom nobody has mapped, and the person whose call it is.
    await pressInSlack('U0EVE', 'allow', value);
    const unknown = await waitFor(() => sink.at('/actions/U0EVE/allow')[0]);
    expect(unknown?.body).toMatchObject({ response_type: 'ephemeral', replace_original: false });
    await pressInSlack('U0MIA', 'allow', value);
    const own = await waitFor(() => sink.at('/actions/U0MIA/allow')[0]);
    expect(own?.body.text).toContain('You may not answer this approval');
    expect((await api.get(`/api/approvals/${ids[0]}`, { key: api.adminToken })).body.status).toBe('pending');
    await pressInSlack('U0ANN', 'deny', value);
    expect((await calls[0])?.body.error.code).toBe('CALL_DENIED');
  });
});

test('secrets of channels are in no answer of the API and no log', async () => {
  const { body } = await api.get('/api/config', { key: api.adminToken });
  expect(body.gateway.notifications).toMatchObject([{ name: 'mail', type: 'email' }, {}, {}, {}, {}]);
  const texts = [...api.answers, JSON.stringify(api.log)].join('\n');
  for (const secret of ['mail-SECRET', signingSecret, hookSecret, slackPath]) expect(texts).not.toContain(secret);
});
