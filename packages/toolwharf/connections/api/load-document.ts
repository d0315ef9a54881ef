import { readFile, stat } from 'node:fs/promises';
import { ConnectionError, messageOf, ProtocolError } from '../../../contract/errors.ts';
import { withoutSecrets } from '../../../contract/settings/server-url.ts';
import { looksLikeJson, readDocument } from '../../config/read-document.ts';
import { isUrl } from '../../config/server-conflicts.ts';
import { parseExactly } from '../../kernel/exact-json.ts';
import type { HttpAccess } from '../http/http-access.ts';

const mebibyte = 1024 * 1024;
const maxJsonBytes = 32 * mebibyte;
// The YAML parser is slow and blocks the process.
const maxYamlBytes = 4 * mebibyte;

export interface DocumentSource {
  readonly place: string;
  /** The API's URL: credentials are sent to its origin only. */
  readonly base: URL;
  readonly access: Pick<HttpAccess, 'fetch' | 'headers'>;
  readonly signal: AbortSignal;
}

/** Reads an OpenAPI document, JSON or YAML, from a URL or a file. */
export async function loadDocument(source: DocumentSource): Promise<unknown> {
  const { place } = source;
  const text = isUrl(place) ? await fetchText(source) : await readText(place);
  const isJson = looksLikeJson(text);
  if (text.length > (isJson ? maxJsonBytes : maxYamlBytes)) throw tooLarge(place, isJson);
  try {
    if (isJson) return parseExactly(text);
  } catch (cause) {
    throw unusable(place, messageOf(cause));
  }
  const { value, problems } = readDocument(text);
  const [problem] = problems;
  if (problem) throw unusable(place, `line ${problem.line}, column ${problem.column}: ${problem.message}`);
  return value;
}

async function fetchText({ place, base, access, signal }: DocumentSource): Promise<string> {
  const url = new URL(place);
  const response = await access.fetch(url, {
    headers: {
      ...(url.origin === base.origin && access.headers),
      accept: 'application/json, application/yaml;q=0.9, */*;q=0.8',
    },
    signal,
  });
  if (response.ok) return response.text();
  await response.body?.cancel();
  throw new ConnectionError(
    'SERVER_UNREACHABLE',
    `The OpenAPI document at ${withoutSecrets(place)} cannot be fetched: HTTP ${response.status}`,
    { data: { reached: false, httpStatus: response.status } },
  );
}

async function readText(file: string): Promise<string> {
  try {
    if ((await stat(file)).size > maxJsonBytes) throw tooLarge(file, true);
    return await readFile(file, 'utf8');
  } catch (cause) {
    if (cause instanceof ProtocolError) throw cause;
    throw new ConnectionError('SERVER_UNREACHABLE', `The OpenAPI document cannot be read: ${messageOf(cause)}`, {
      cause,
    });
  }
}

function tooLarge(place: string, isJson: boolean): ProtocolError {
  const maxMebibytes = (isJson ? maxJsonBytes : maxYamlBytes) / mebibyte;
  const advice = isJson ? '' : ', or convert it to JSON';
  return unusable(place, `it is larger than ${maxMebibytes} MiB: keep only the parts you need${advice}`);
}

/** The error for a document that cannot be used. */
export function unusable(place: string, reason: string): ProtocolError {
  return new ProtocolError(
    'SERVER_PROTOCOL',
    `The OpenAPI document ${withoutSecrets(place)} cannot be used: ${reason}`,
  );
}
