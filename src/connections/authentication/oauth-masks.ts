import { isObject } from '../../kernel/json.ts';

const mask = '[redacted]';
const maxLength = 4_000;

/** The members of OAuth requests and responses that are secret. */
const secretMembers = new Set([
  'access_token',
  'refresh_token',
  'id_token',
  'registration_access_token',
  'client_secret',
  'client_assertion',
  'assertion',
  'subject_token',
  'actor_token',
  'code',
  'code_verifier',
  'state',
  'nonce',
  'password',
]);

/** The URL with secret parameters masked. Each secret is reported. */
export function maskUrl(url: URL, onSecret: (secret: string) => void): string {
  const masked = new URL(url);
  if (masked.password !== '') masked.password = 'redacted';
  for (const [name, value] of url.searchParams) {
    if (!secretMembers.has(name)) continue;
    onSecret(value);
    masked.searchParams.set(name, mask);
  }
  return masked.href.replaceAll(encodeURIComponent(mask), mask).slice(0, maxLength);
}

/** Parameters with secret ones masked. */
export function maskParams(params: URLSearchParams, onSecret: (secret: string) => void): Record<string, unknown> {
  return maskMembers(Object.fromEntries(params), onSecret) as Record<string, unknown>;
}

/** A JSON, form or text body with secrets masked; undefined for an empty one. */
export function maskBody(text: string | undefined, onSecret: (secret: string) => void): unknown {
  if (text === undefined || text === '') return undefined;
  if (text.length > 16 * maxLength) return `(${text.length} characters)`;
  try {
    return shorten(maskMembers(JSON.parse(text), onSecret));
  } catch {
    if (/^[\w.-]+=[^\s<]*$/.test(text)) return maskParams(new URLSearchParams(text), onSecret);
    return text.replaceAll(/((?:token|secret|code|password)\w*["']?\s*[=:]\s*)\S+/gi, `$1${mask}`).slice(0, maxLength);
  }
}

function maskMembers(value: unknown, onSecret: (secret: string) => void): unknown {
  if (Array.isArray(value)) return value.map((item) => maskMembers(item, onSecret));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      if (!secretMembers.has(name)) return [name, maskMembers(member, onSecret)];
      // The error of a token endpoint also has a member `code` in some APIs: a number is no secret.
      if (typeof member !== 'string') return [name, typeof member === 'number' ? member : mask];
      onSecret(member);
      return [name, mask];
    }),
  );
}

function shorten(value: unknown): unknown {
  const text = JSON.stringify(value);
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : value;
}
