import { readFile, stat } from 'node:fs/promises';
import { looksLikeJson, readDocument } from '../../config/read-document.ts';
import { isUrl } from '../../config/server-conflicts.ts';
import { withoutSecrets } from '../../config/server-url.ts';
import { ConnectionError, messageOf, ProtocolError } from '../../kernel/errors.ts';
import type { HttpAccess } from '../http/http-access.ts';

const mebibyte = 1024 * 1024;
const mostJson = 32 * mebibyte;
// Its parser takes a second for every few of these, and nothing else is done meanwhile.
const mostYaml = 4 * mebibyte;

export interface DocumentSource {
  readonly place: string;
  /** The API's own address: credentials go there, and nowhere else. */
  readonly base: URL;
  readonly access: Pick<HttpAccess, 'fetch' | 'headers'>;
  readonly signal: AbortSignal;
}

/** An OpenAPI document, in JSON or YAML, from an address or a file. */
export async function loadDocument(source: DocumentSource): Promise<unknown> {
  const { place } = source;
  const text = isUrl(place) ? await fetchText(source) : await readText(place);
  const isJson = looksLikeJson(text);
  if (text.length > (isJson ? mostJson : mostYaml)) throw tooLarge(place, isJson);
  try {
    if (isJson) return JSON.parse(text);
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
    `The OpenAPI document at ${withoutSecrets(place)} can't be had: HTTP ${response.status}`,
    { data: { reached: false, httpStatus: response.status } },
  );
}

async function readText(file: string): Promise<string> {
  try {
    if ((await stat(file)).size > mostJson) throw tooLarge(file, true);
    return await readFile(file, 'utf8');
  } catch (cause) {
    if (cause instanceof ProtocolError) throw cause;
    throw new ConnectionError('SERVER_UNREACHABLE', `The OpenAPI document can't be read: ${messageOf(cause)}`, {
      cause,
    });
  }
}

function tooLarge(place: string, isJson: boolean): ProtocolError {
  const most = (isJson ? mostJson : mostYaml) / mebibyte;
  const advice = isJson ? '' : ', or turn it into JSON';
  return unusable(place, `it is larger than ${most} MiB: take the parts you need${advice}`);
}

/** Why a document makes no tools. */
export function unusable(place: string, reason: string): ProtocolError {
  return new ProtocolError('SERVER_PROTOCOL', `The OpenAPI document ${withoutSecrets(place)} can't be used: ${reason}`);
}
