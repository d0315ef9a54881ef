import { z } from 'zod';
import { idCountries, maskKinds, redactionActions } from './choices.ts';
import { choice, duration, filledText, globs, list, profileName } from './schema-parts.ts';

const className = z
  .string({ error: 'must be text' })
  .regex(/^[a-z][a-z-]{0,38}[a-z]$/, 'a class must have 2 to 40 of a-z and -, and begin and end with a letter');

const classActions = z.record(className, choice(redactionActions), { error: 'must be a map of classes to actions' });

const directions = {
  arguments: classActions.optional().describe('What happens to values in what callers send, by class.'),
  results: classActions.optional().describe('What happens to values in what servers send, by class.'),
  messages: classActions
    .optional()
    .describe('What happens to values in what the chat sends to models: what people write, and results; by class.'),
  mask: choice(maskKinds)
    .optional()
    .describe(
      'plain: a masked value is gone. reversible: the caller sees [email-1] instead of an address, and a later call sends the address. Default: plain.',
    ),
};

const profileRedactionSchema = z.strictObject(directions, { error: 'must be a map' });

export const redactionSchema = z.strictObject(
  {
    ...directions,
    expires: duration(60_000)
      .optional()
      .describe('Time after its last use for which a reversible mask has its value. Default: 24h.'),
    restore: globs
      .optional()
      .describe('Globs over server/tool: the tools that get the values of reversible masks; all if left out.'),
    countries: list(choice(idCountries))
      .optional()
      .describe('The countries whose national identifiers are detected. Default: all of them.'),
    patterns: z
      .record(className, filledText.max(1_000, 'must have at most 1000 characters'), { error: 'must be a map' })
      .optional()
      .describe('Classes of your own: regular expressions of RE2, by class.'),
    profiles: z
      .record(profileName, profileRedactionSchema, { error: 'must be a map of profile names' })
      .optional()
      .describe('What is different in a profile. A class that a profile does not name is treated as for all.'),
  },
  { error: 'must be a map' },
);

export type CheckedRedaction = z.output<typeof redactionSchema>;
