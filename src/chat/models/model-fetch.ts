import { guardAddresses, type Lookup } from '../../connections/http/guard-addresses.ts';
import { ToolwharfError } from '../../kernel/errors.ts';

/**
 * `fetch` for requests that carry a key: a redirect is an error, since wherever it leads would be given the key.
 * The person who set the address can set the other one.
 */
export const modelFetch: typeof fetch = refusingRedirects(fetch);

/** The same, for public addresses only, whatever a name server says. */
export function createPublicModelFetch(lookup?: Lookup): typeof fetch {
  const guard = guardAddresses((_, kind) => kind === 'public', lookup);
  async function load() {
    const { Agent, fetch: send } = await import('undici');
    return { send, dispatcher: new Agent({ connect: { lookup: guard.lookup } }) };
  }
  let client: ReturnType<typeof load> | undefined;
  return refusingRedirects(async (input, init) => {
    await guard.assertReachable(new URL(urlOf(input)));
    client ??= load();
    const { send, dispatcher } = await client;
    // The two packages' types of a request differ in name only; requests are always made of a text and plain options here.
    const response: unknown = await send(urlOf(input), { ...init, dispatcher } as never).catch((cause) => {
      throw ownError(cause);
    });
    return response as Response;
  });
}

function refusingRedirects(send: typeof fetch): typeof fetch {
  return async (input, init) => {
    const response = await send(input, { ...init, redirect: 'manual' });
    if (response.status < 300 || response.status > 399) return response;
    await response.body?.cancel();
    const target = URL.parse(response.headers.get('location') ?? '', urlOf(input));
    const where = target ? ` to ${target.origin}${target.pathname}` : '';
    throw new ToolwharfError(
      'SERVER_ERROR',
      `the address redirects${where}, and a key is not sent to another address than the one it was given for. Set the right address`,
    );
  };
}

/** What the guard said, out of the `TypeError` that `fetch` wraps everything in. */
function ownError(cause: unknown): unknown {
  return cause instanceof TypeError && cause.cause instanceof ToolwharfError ? cause.cause : cause;
}

function urlOf(input: Parameters<typeof fetch>[0]): string {
  return input instanceof Request ? input.url : String(input);
}
