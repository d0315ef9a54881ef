import type { JsonObject } from '../../kernel/json.ts';

/** Converts an API's response to the result of a call; any status but success is an error result. */
export async function readAnswer(response: Response, url: URL): Promise<JsonObject> {
  const status = `${response.status} ${response.statusText}`.trim();
  if (response.status >= 300 && response.status < 400) {
    await response.body?.cancel();
    return failure(`${status}: ${redirected(response.headers.get('location'), url)}`);
  }
  const type = (response.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  if (!response.ok) {
    const text = isReadable(type) ? (await response.text()).trim() : '';
    if (!isReadable(type)) await response.body?.cancel();
    return failure([`The API answered ${status}${hint(response)}`, text].filter((part) => part !== '').join('\n'));
  }
  if (isReadable(type)) {
    const text = await response.text();
    return content({ type: 'text', text: text === '' ? `The API answered ${status} without a body` : text });
  }
  const data = Buffer.from(await response.arrayBuffer()).toString('base64');
  if (data === '') return content({ type: 'text', text: `The API answered ${status} without a body` });
  const [kind] = type.split('/');
  if (kind === 'image' || kind === 'audio') return content({ type: kind, data, mimeType: type });
  // The query may contain secrets.
  const uri = `${url.origin}${url.pathname}`;
  return content({ type: 'resource', resource: { uri, mimeType: type, blob: data } });
}

function isReadable(type: string): boolean {
  return type === '' || /^text\/|[/+](?:json|xml|yaml|x-yaml|javascript|x-ndjson|x-www-form-urlencoded)$/.test(type);
}

function hint({ status, headers }: Response): string {
  if (status === 401 || status === 403)
    return ": the credentials of the server's configuration may be missing or wrong";
  const after = headers.get('retry-after');
  return (status === 429 || status === 503) && after !== null ? `: try again after ${after.slice(0, 40)}` : '';
}

function redirected(location: string | null, url: URL): string {
  const target = location === null ? null : URL.parse(location, url.href);
  const where = target ? `${target.origin}${target.pathname}` : 'another URL';
  return `the API redirects to ${where}, and redirects are not followed. If that is right, change the server's url`;
}

const content = (block: JsonObject): JsonObject => ({ content: [block] });
const failure = (text: string): JsonObject => ({ isError: true, content: [{ type: 'text', text }] });
