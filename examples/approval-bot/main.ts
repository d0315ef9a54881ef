// Receives each approval over the webhook, and answers those that it has a rule for. People answer the others in the app.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

const { GATEWAY_URL = 'http://127.0.0.1:7420', GATEWAY_KEY, WEBHOOK_SECRET, PORT = '3001' } = process.env;
if (!GATEWAY_KEY || !WEBHOOK_SECRET)
  throw new Error('Set GATEWAY_KEY, the key of an administrator, and WEBHOOK_SECRET');

interface Approval {
  readonly tool: string;
  readonly originalName: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** The rules of this bot; undefined leaves the answer to a person. */
function decide({ originalName, arguments: args }: Approval): object | undefined {
  if (originalName === 'echo') return { answer: 'allow' };
  if (originalName === 'get-sum' && Number(args.a) > 1_000) return { answer: 'deny', reason: 'too large a number' };
  return undefined;
}

/** Whether the gateway sent this body, not longer than five minutes ago. */
function isSigned({ headers }: IncomingMessage, body: string): boolean {
  const time = String(headers['x-toolwharf-timestamp']);
  if (!(Math.abs(Date.now() / 1_000 - Number(time)) < 300)) return false;
  const expected = Buffer.from(
    `sha256=${createHmac('sha256', WEBHOOK_SECRET ?? '')
      .update(`${time}.${body}`)
      .digest('hex')}`,
  );
  const given = Buffer.from(String(headers['x-toolwharf-signature']));
  return given.length === expected.length && timingSafeEqual(given, expected);
}

const server = createServer(async (request, response) => {
  const body = await text(request);
  if (!isSigned(request, body)) return response.writeHead(401).end();
  response.writeHead(204).end();
  const { approval, answerPath } = JSON.parse(body) as { approval: Approval; answerPath: string };
  const answer = decide(approval);
  if (!answer) return console.log(`${approval.tool}: left to a person`);
  const answered = await fetch(new URL(answerPath, GATEWAY_URL), {
    method: 'POST',
    headers: { authorization: `Bearer ${GATEWAY_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify(answer),
  });
  console.log(`${approval.tool}: ${JSON.stringify(answer)} (${answered.status})`);
});
server.listen(Number(PORT), '127.0.0.1', () =>
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
);
