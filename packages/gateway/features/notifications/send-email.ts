import { createTransport } from 'nodemailer';
import { messageOf } from '../../../contract/errors.ts';
import type { Delivery } from './post-message.ts';

export interface Email {
  /** The URL of the SMTP server. */
  readonly server: string;
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** Part of the message id: mail programs show a repeated message once. */
  readonly id: string;
}

const timeoutMs = 10_000;

/** Sends one e-mail of plain text. Never rejects. */
export async function sendEmail({ server, id, ...mail }: Email, signal: AbortSignal): Promise<Delivery> {
  const timeouts = { connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs };
  const transport = createTransport({ url: server, ...timeouts, disableFileAccess: true, disableUrlAccess: true });
  const close = () => transport.close();
  signal.addEventListener('abort', close, { once: true });
  try {
    signal.throwIfAborted();
    await transport.sendMail({
      ...mail,
      messageId: `<${id}@toolwharf>`,
      headers: { 'Auto-Submitted': 'auto-generated' },
    });
    return 'delivered';
  } catch (cause) {
    const { responseCode = 0 } = cause as { readonly responseCode?: number };
    // The server rejects the message for good.
    return { reason: withoutAddress(messageOf(cause), server), retry: responseCode < 500 };
  } finally {
    signal.removeEventListener('abort', close);
    close();
  }
}

/** The URL contains the password. */
function withoutAddress(text: string, server: string): string {
  const password = decodeURIComponent(URL.parse(server)?.password ?? '');
  return [server, password].filter(Boolean).reduce((kept, secret) => kept.replaceAll(secret, '[hidden]'), text);
}
