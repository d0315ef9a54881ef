import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

export interface Mail {
  readonly to: readonly string[];
  readonly text: string;
}

export interface Mailbox extends AsyncDisposable {
  /** The URL of the server, with name and password. */
  readonly url: string;
  readonly mails: Mail[];
  /** Rejects the next messages with this code; 0 accepts them. */
  fail(code: number): void;
}

/** A real SMTP server on a free port, which asks for a name and password. */
export async function startMailbox(): Promise<Mailbox> {
  const mails: Mail[] = [];
  let failure = 0;
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth({ username, password }, _session, done) {
      if (username === 'gateway' && password === 'mail-SECRET') done(null, { user: username });
      else done(new Error('Wrong password'));
    },
    onData(stream, { envelope }, done) {
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.on('end', () => {
        if (failure > 0) {
          done(Object.assign(new Error('Not now'), { responseCode: failure }));
          return;
        }
        const to = envelope.rcptTo.map(({ address }) => address);
        mails.push({ to, text: decode(Buffer.concat(parts).toString('utf8')) });
        done();
      });
    },
  });
  server.on('error', () => {});
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://gateway:mail-SECRET@127.0.0.1:${port}`,
    mails,
    fail: (code) => {
      failure = code;
    },
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Headers as they are; the body without the encoding of quoted-printable. */
function decode(mail: string): string {
  const text = mail.replaceAll('\r\n', '\n');
  if (!/^content-transfer-encoding: quoted-printable$/im.test(text)) return text;
  const bytes = text
    .replaceAll('=\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
