import { createHmac, randomUUID } from 'node:crypto';
import { messageOf } from '../../../contract/errors.ts';

/** `delivered`, or why not and whether another attempt can succeed. */
export type Delivery = 'delivered' | { readonly reason: string; readonly retry: boolean };

/** Posts one JSON message. Redirects are not followed. Never rejects. */
export async function postMessage(
  url: string,
  body: string,
  { headers, signal }: { readonly headers?: Readonly<Record<string, string>>; readonly signal: AbortSignal },
): Promise<Delivery> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      signal,
      headers: { 'content-type': 'application/json', ...headers },
      body,
    });
    await response.body?.cancel();
    if (response.ok) return 'delivered';
    const { status } = response;
    return { reason: `it answered ${status}`, retry: status >= 500 || status === 408 || status === 429 };
  } catch (cause) {
    return { reason: messageOf(cause), retry: true };
  }
}

/** The headers of a signed message. The signature covers the time, so that receivers can reject replays. */
export function signedHeaders(
  body: string,
  { secret, now, delivery = randomUUID() }: SignOptions,
): Readonly<Record<string, string>> {
  const time = Math.floor(now / 1_000);
  const signature = () =>
    createHmac('sha256', secret ?? '')
      .update(`${time}.${body}`)
      .digest('hex');
  return {
    'x-toolwharf-delivery': delivery,
    'x-toolwharf-timestamp': String(time),
    ...(secret !== undefined && { 'x-toolwharf-signature': `sha256=${signature()}` }),
  };
}

interface SignOptions {
  readonly secret: string | undefined;
  readonly now: number;
  /** The id of the delivery: the same for each attempt. */
  readonly delivery?: string;
}
