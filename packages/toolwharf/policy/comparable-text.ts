import { createMatcher } from '../../contract/match-globs.ts';
import { hasUnseenCharacters } from './display-text.ts';

/** The longest text that is compared with a pattern, so that no text can stall the matcher. */
export const maxComparedLength = 16_384;

/**
 * Matches a text only if every program would read it as a text that a pattern matches: not if it has the path segment `..`,
 * characters that are invisible or look like others, another host, or more addresses, in a way that leads out of the pattern.
 */
export function createSureMatcher(patterns: readonly string[]): (text: string) => boolean {
  const matchers = patterns.map((pattern) => {
    const matchesPath = createMatcher([toPathPattern(pattern)]);
    const matchesHost = createHostMatcher(pattern);
    return {
      matchesText: createMatcher([pattern.normalize()]),
      matchesPath: (path: string) => matchesPath(path) && matchesHost(path) && !hasOtherAddresses(path, pattern),
      isAny: /^\*+$/.test(pattern),
    };
  });
  return (text) => {
    if (text.length > maxComparedLength || hasParentSegment(text)) return false;
    const matching = matchers.filter(({ matchesText }) => matchesText(text.normalize()));
    if (matching.length === 0) return false;
    const path = isAmbiguous(text) ? undefined : toPlainPath(text);
    return matching.some(({ isAny, matchesPath }) => isAny || (path !== undefined && matchesPath(path)));
  };
}

/** Matches the host of a web address with that of the pattern, whose `*` would match the rest of the address too. */
function createHostMatcher(pattern: string): (text: string) => boolean {
  const [, host] = /:\/\/([^/]*)/.exec(pattern) ?? [];
  if (host === undefined) return () => true;
  const matches = createMatcher([host]);
  const namesScheme = /^[\w+.-]+:/.test(pattern);
  return (text) => {
    const [, scheme = '', found] = /^([a-z][a-z0-9+.-]*):\/\/([^/?#\\]*)/i.exec(text) ?? [];
    // The URIs of other schemes need not have a host.
    if (found === undefined || (namesScheme && !isWebScheme.test(scheme))) return true;
    if (!matches(found) || (found.includes('@') && !host.includes('@'))) return false;
    return !isWebScheme.test(scheme) || isPlainHost.test(found);
  };
}

const isWebScheme = /^(?:https?|wss?|ftps?)$/i;
/** A host that every program reads to its end, after a user and before a port. */
const isPlainHost = /^(?:[^@%]*@)?(?:\[[\da-f:.]+\]|[\p{L}\p{M}\p{N}._-]*)(?::\d+)?$/iu;

/**
 * Whether a text could name other mail addresses than the pattern: programs read `a@b.test,c@d.test` as two, deliver `b.test!a@d.test`
 * to the first host, and decode `=?utf-8?q?a=40b.test=3e?=@d.test`.
 */
function hasOtherAddresses(text: string, pattern: string): boolean {
  if (!pattern.includes('@')) return false;
  const count = (of: string, separator: string) => of.split(separator).length;
  return ['@', ',', ';', '<', '>', '"', ' ', '%', '!', '=?'].some((one) => count(text, one) > count(pattern, one));
}

/** A glob as `toPlainPath` writes texts: in one Unicode form, with slashes, and without empty segments and `.`. */
export function toPathPattern(pattern: string): string {
  const normalized = pattern
    .normalize()
    // Wildcards that normalization would add stay literals.
    .replaceAll(/[^\x20-\x7e]+/g, (run) => normalizeText(run).replaceAll(/[\\*?[\]{},!]/g, '\\$&'));
  return normalized
    .replaceAll('\\\\', '/')
    .replaceAll(/(?<![:/])\/{2,}/g, '/')
    .replaceAll(/(^|\/)(?:\.\/)+/g, '$1');
}

/**
 * Whether people or programs may read a text in several ways: it has control characters, also encoded ones, invisible ones or
 * ones that reorder text, or lone surrogates.
 */
function isAmbiguous(text: string): boolean {
  return !text.isWellFormed() || /[\n\r\t]|%(?:25)*(?:[01][0-9a-f]|7f)/i.test(text) || hasUnseenCharacters(text);
}

/** The text in one Unicode form, with look-alikes of dots and slashes as those, and without invisible characters. */
function normalizeText(text: string): string {
  if (isPlain.test(text)) return text;
  return text
    .normalize('NFKC')
    .replaceAll(invisible, '')
    .replaceAll(dots, '.')
    .replaceAll(slashes, '/')
    .replaceAll(backslashes, '\\');
}

const isPlain = /^[\x20-\x7e]*$/;
const invisible = /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
// Full-width and small forms become the plain characters by NFKC already.
const dots = /[\u00b7\u0701\u0702\u2022\u2219\u22c5\u3002\ua4f8\ua60e\u{10a50}\u{1d16d}]/gu;
const slashes = /[\u1735\u2041\u2044\u2215\u2571\u27cb\u29f8\u31d3\u{1d23a}]/gu;
// Some code pages have the signs of Yen and Won in the place of the backslash.
const backslashes = /[\u00a5\u20a9\u2216\u27cd\u29f5\u29f9\u31d4\u{1d20f}\u{1d23b}]/gu;

/**
 * Whether a path or URI has the segment `..`, in any spelling that a program might understand as one. True also for a text that
 * is encoded more often than is decoded here.
 */
export function hasParentSegment(text: string): boolean {
  const decoded = decodeAll(text);
  return decodeOnce(decoded, allCodes) !== decoded || decoded.split(/[\\/?#]/).some(isParent);
}

/** The text as a rule that allows compares it: separators are decoded, and empty segments and `.` are left out. */
function toPlainPath(text: string): string {
  return joinSegments(decodeSeparators(text), (segments) => segments.filter((segment) => !isEmpty(segment)));
}

/**
 * The spellings under which a rule that denies looks for a text: as it is, with single spaces, normalized, decoded, as a resolved path
 * or URL, with and without a slash at the end, the mail addresses in it, and all in lower case.
 */
export function toSpellings(text: string): ReadonlySet<string> {
  const spaced = toSingleSpaces(text);
  const normalized = normalizeText(spaced);
  const ended = spaced.replace(ignoredEnd, '');
  const texts = [text, spaced, normalized, decodeSeparators(spaced), decodeAll(spaced), decodeAll(ended)];
  const paths = texts
    .map((spelling) => spelling.replace(driveShare, '$1:'))
    .flatMap((spelling) => [spelling, spelling.replace(devicePrefix, ''), spelling.replace(localPrefix, '/')])
    .flatMap((spelling) => [spelling, toPlainPath(spelling), joinSegments(spelling, resolveSegments)])
    .flatMap((spelling) => [spelling, spelling.replace(/\/$/, ''), `${spelling}/`]);
  const addresses = normalized.includes('@') ? normalized.split(addressEnds).filter((part) => part.includes('@')) : [];
  const spellings = [...paths, toPlainUrl(normalized) ?? text, ...toFilePath(text), ...addresses];
  return new Set([...spellings, ...spellings.map((spelling) => spelling.toLowerCase())]);
}

/** The globs of a rule that denies, in the forms of `toSpellings`. */
export function toDenyPatterns(pattern: string): readonly string[] {
  const spaced = toSingleSpaces(pattern);
  const url = spaced.replace(/^(?:(http):\/\/([^/?#]*):80|(https):\/\/([^/?#]*):443)(?=[/?#]|$)/i, '$1$3://$2$4');
  const patterns = [pattern, spaced, toPathPattern(spaced), url];
  return [...new Set([...patterns, ...patterns.map((one) => one.toLowerCase())])];
}

const localPrefix =
  /^(?:(?:file:)?[\\/]{2,}(?:localhost|127\.0\.0\.1|\[::1\])[\\/]+|file:[\\/]*|[\\/](?:[\\/][?.]|\?\?)[\\/])?(?:[a-z]:[\\/]+)?(?<=.)/i;
/** Before a path of Windows that is not shortened. */
const devicePrefix = /^[\\/](?:[\\/][?.]|\?\?)[\\/](?=[a-z]:)/i;
/** The share of a drive of this computer. */
const driveShare =
  /^[\\/](?:[\\/]|[\\/?][?.][\\/]UNC[\\/])(?:localhost|127\.0\.0\.1|\[::1\]|\.)[\\/]+([a-z])\$(?=[\\/])/i;
/** Schemes whose URLs contain another one, such as `view-source:`. */
const wrappingSchemes = /^(?:[a-z][a-z0-9+.-]*:)+(?=https?:[\\/])/i;
/** What programs leave out at the end of a path: what follows a NUL, and the name of a stream. */
const ignoredEnd = /(?:\0|%(?:25)*00).*$|:[^\\/:]*:\$\w+$/is;
/** What stands between mail addresses. */
const addressEnds = /[\s<>()[\],;:"']+/;

function toSingleSpaces(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** A web address without a user, a default port and the dot after its host; undefined for other texts. */
function toPlainUrl(text: string): string | undefined {
  const address = text.replace(wrappingSchemes, '');
  if (!/^https?:/i.test(address) || !URL.canParse(address)) return undefined;
  const url = new URL(address);
  url.username = '';
  url.password = '';
  url.hostname = url.hostname.replace(/\.$/, '');
  return url.href;
}

/** The path of a `file` URL, whatever its host and drive, and also within the URL of an archive or of a page's source. */
function toFilePath(text: string): readonly string[] {
  const [, encoded] = /file:(?:[\\/]{2}[^\\/]*)?(.*)$/is.exec(text.replaceAll(/[\t\n\r]/g, '')) ?? [];
  if (encoded === undefined) return [];
  const path = toPlainPath(decodeAll(encoded));
  return [path, path.replace(/^\/?[a-z][:|](?=\/)/i, '')];
}

/** Decodes percent-encoded dots, separators, percent signs and control characters, also if they are encoded several times. */
function decodeSeparators(text: string): string {
  return decodeRepeatedly(text, separatorCodes);
}

/** Decodes all percent-encoded characters. */
function decodeAll(text: string): string {
  return decodeRepeatedly(text, allCodes);
}

const allCodes = /(?:%[0-9a-f]{2})+/gi;

// Characters beyond ASCII are decoded too, because they can be look-alikes.
const separatorCodes = /(?:%(?:2[ef5]|3b|5c|[01][0-9a-f]|7f|[89a-f][0-9a-f]))+/gi;
const maxRounds = 8;

/** Spellings of dots and slashes that are no UTF-8, but that some programs decode. */
const malformed: Readonly<Record<string, string>> = {
  '%c0%ae': '.',
  '%c0%af': '/',
  '%c1%9c': '\\',
  '%e0%80%ae': '.',
  '%e0%80%af': '/',
  '%e0%81%9c': '\\',
};
const malformedCodes = new RegExp(Object.keys(malformed).join('|'), 'gi');

function decodeRepeatedly(text: string, codes: RegExp): string {
  let decoded = normalizeText(text);
  for (let round = 0; round < maxRounds && decoded.includes('%'); round++) {
    const next = decodeOnce(decoded, codes);
    if (next === decoded) break;
    decoded = next;
  }
  return decoded;
}

function decodeOnce(text: string, codes: RegExp): string {
  const readable = text
    .replaceAll(malformedCodes, (code) => malformed[code.toLowerCase()] ?? code)
    .replaceAll(/%u([0-9a-f]{4})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
  return normalizeText(readable.replaceAll(codes, decodeBytes));
}

function decodeBytes(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded.replaceAll(/%([0-7][0-9a-f])/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
  }
}

function segmentsOf(text: string): readonly string[] {
  return text.split(/[\\/]/);
}

/** `..`, also with the parameters, streams of files, spaces and dots that some programs ignore. */
function isParent(segment: string): boolean {
  return /^\s*\.\.(?:\s[\s.]*)?$/.test(segment.replace(/[;:].*$/s, ''));
}

function isEmpty(segment: string): boolean {
  return segment === '' || segment === '.';
}

function withoutParameters(segment: string): string {
  return segment.replace(/;.*$|:[^:]*:\$\w+$/s, '').trim();
}

/** Rewrites the segments after the scheme of a URI, or after the slash of an absolute path. */
function joinSegments(text: string, rewrite: (segments: readonly string[]) => readonly string[]): string {
  const [start = ''] = /^(?:[a-z][a-z0-9+.-]*:(?=[\\/]{2}))?[\\/]*/i.exec(text) ?? [];
  const root = /^[a-z]/i.test(start) ? start.replaceAll('\\', '/') : start === '' ? '' : '/';
  const end = /[^\\/][\\/]+$/.test(text) ? '/' : '';
  return root + rewrite(segmentsOf(text.slice(start.length))).join('/') + end;
}

function resolveSegments(segments: readonly string[]): readonly string[] {
  const resolved: string[] = [];
  for (const segment of segments) {
    const plain = withoutTrailingDots(withoutParameters(segment));
    if (plain === '..' && resolved.length > 0 && resolved.at(-1) !== '..') resolved.pop();
    else if (!isEmpty(plain)) resolved.push(plain);
  }
  return resolved;
}

/** Windows ignores dots and spaces at the end of a name. */
function withoutTrailingDots(name: string): string {
  let end = name.length;
  while (name[end - 1] === '.' || name[end - 1] === ' ') end--;
  return end === 0 ? name : name.slice(0, end);
}
