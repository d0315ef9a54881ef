import { guardAddresses, type Lookup } from '../../connections/http/guard-addresses.ts';
import { ToolwharfError } from '../../kernel/errors.ts';

/** `fetch` for requests with a key. A redirect is an error, because its target would receive the key. */
export const modelFetch: typeof fetch = rejectRedirects(fetch);

/** Like `modelFetch`, for public addresses only; checks the resolved addresses of host names. */
export function createPublicModelFetch(lookup?: Lookup): typeof fetch {
  const guard = guardAddresses((_, kind) => kind === 'public', lookup);
  async function load() {
    const { Agent, fetch: send } = await import('undici');
    return { send, dispatcher: new Agent({ connect: { lookup: guard.lookup } }) };
  }
  let client: ReturnType<typeof load> | undefined;
  return rejectRedirects(async (input, init) => {
    await guard.assertReachable(new URL(urlOf(input)));
    client ??= load();
    const { send, dispatcher } = await client;
    // The request types of both packages are compatible for the plain options used here.
    const response: unknown = await send(urlOf(input), { ...init, dispatcher } as never).catch((cause) => {
      throw unwrapError(cause);
    });
    return response as Response;
  });
}

function rejectRedirects(send: typeof fetch): typeof fetch {
  return async (input, init) => {
    const response = await send(input, { ...init, redirect: 'manual' });
    if (response.status < 300 || response.status > 399) return response;
    await response.body?.cancel();
    const target = URL.parse(response.headers.get('location') ?? '', urlOf(input));
    const where = target ? ` to ${target.origin}${target.pathname}` : '';
    throw new ToolwharfError(
      'SERVER_ERROR',
      `the URL redirects${where}, and the key is not sent to another URL. Set the final URL`,
    );
  };
}

/** The guard's error, which `fetch` wraps in a `TypeError`. */
function unwrapError(cause: unknown): unknown {
  return cause instanceof TypeError && cause.cause instanceof ToolwharfError ? cause.cause : cause;
}

function urlOf(input: Parameters<typeof fetch>[0]): string {
  return input instanceof Request ? input.url : String(input);
}
