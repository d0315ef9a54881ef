import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { longestMs, readDuration } from './durations.ts';

/** A string without NUL characters. */
export const text = z
  .string({ error: 'must be text (put numbers and true/false in quotes)' })
  .refine((value) => !value.includes('\0'), 'must not contain a NUL character');

export const filledText = text.min(1, 'must not be empty');

/**
 * A glob over names. A leading `!` is rejected: the pattern would match nothing, and a deny list that matches nothing
 * fails open.
 */
export const glob = filledText.refine(
  (pattern) => !pattern.startsWith('!'),
  'must not start with "!": list what to offer under allow and what to refuse under deny',
);

/** A directory: an absolute path or a `file://` URL. */
export const root = filledText.refine(
  (value) => isAbsolute(value) || URL.parse(value)?.protocol === 'file:',
  'must be an absolute path or a file:// URL',
);

export const serverName = z
  .string({ error: 'must be text' })
  .min(1, 'a name must have 1 to 100 characters')
  .max(100, 'a name must have 1 to 100 characters')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused.
  .regex(/^[^\u0000-\u001f\u007f]*$/, 'a name must not contain control characters')
  .refine((name) => name.trim() !== '', 'a name must not be blank')
  .refine((name) => name !== '__proto__', "the name '__proto__' is not allowed");

/** The name of a profile, which is part of a URL. */
export const profileName = z
  .string({ error: 'must be text' })
  .regex(/^[a-z0-9-]{1,40}$/, 'a profile name must have 1 to 40 of a-z, 0-9 and -');

export const flag = z.boolean({ error: 'must be true or false' });

export function wholeNumber(min: number, max: number) {
  const rule =
    max === Number.MAX_SAFE_INTEGER
      ? `must be a whole number, ${min} or more`
      : `must be a whole number from ${min} to ${max}`;
  return z.int({ error: rule }).min(min, rule).max(max, rule);
}

export function choice<const Values extends readonly string[]>(values: Values) {
  return z.enum(values, { error: 'unknown value' });
}

export const globs = z.array(glob, { error: 'must be a list' });

export function list<Item extends z.ZodType>(item: Item) {
  return z.array(item, { error: 'must be a list' });
}

/** A duration within limits, as text or in milliseconds. The output is in milliseconds. */
export function duration(minMs = 1, maxMs = longestMs) {
  return z
    .union([z.number(), z.string()], { error: 'must be a duration such as 30s, PT30S or a number of milliseconds' })
    .transform((value, context) => {
      const reading = readDuration(value);
      if ('ms' in reading && reading.ms >= minMs && reading.ms <= maxMs) return reading.ms;
      context.addIssue({ code: 'custom', message: 'reason' in reading ? reading.reason : outside(minMs, maxMs) });
      return z.NEVER;
    });
}

/** Environment variables of a program. */
export const environment = z.record(
  z.string().regex(/^[^=\0]+$/, 'a variable name must not be empty or contain ='),
  text,
  { error: 'must be a map of names to text' },
);

const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

export const header = z.string({ error: 'must be text' }).regex(headerName, 'not a valid header name');

export const headers = z.record(
  z.string().regex(headerName, 'not a valid header name'),
  text.refine((value) => !/[\r\n]/.test(value), 'must not contain a line break'),
  { error: 'must be a map of names to text' },
);

const dayMs = 86_400_000;

function outside(minMs: number, maxMs: number): string {
  if (minMs === 1 && maxMs === longestMs) return 'must be positive and at most 24 days';
  if (minMs === 0 && maxMs === longestMs) return 'must be at most 24 days';
  if (maxMs >= dayMs) return `must be from ${minMs / 1000} s to ${maxMs / dayMs} days`;
  return `must be from ${minMs / 1000} s to ${maxMs / 1000} s`;
}
