import { isObject } from '../../contract/json.ts';
import type { ClientProgram } from './tool.ts';
import { version } from './version.ts';

const maxName = 100;
const maxVersion = 50;

/** The program that `clientInfo` of MCP describes; undefined without a name. What a client says about itself is not verified. */
export function toClientProgram(info: unknown): ClientProgram | undefined {
  if (!isObject(info)) return undefined;
  const name = clean(info.name, maxName);
  return name === undefined ? undefined : { name, version: clean(info.version, maxVersion) };
}

/** The program that the first product of a `User-Agent` header names. Browsers are the web app: other pages cannot call. */
export function programOfAgent(userAgent: string | undefined): ClientProgram | undefined {
  const [, name, productVersion] = /^([^\s/()]+)(?:\/([^\s/()]+))?/.exec(userAgent ?? '') ?? [];
  return name === 'Mozilla' ? ownProgram('toolwharf-app') : toClientProgram({ name, version: productVersion });
}

/** A program of this package. */
export function ownProgram(name: string): ClientProgram {
  return { name, version };
}

/** Text of one line without control and format characters. */
function clean(text: unknown, maxLength: number): string | undefined {
  if (typeof text !== 'string') return undefined;
  const short = text
    .slice(0, 4 * maxLength)
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '')
    .trim()
    .slice(0, maxLength)
    .toWellFormed();
  return short === '' ? undefined : short;
}
