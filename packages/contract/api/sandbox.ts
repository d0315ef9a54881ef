import { z } from 'zod';
import { sandboxLists, sandboxModes } from '../settings/choices.ts';
import { sandboxProfileShape } from '../settings/sandbox-schema.ts';
import { answer, body, isoTime, list } from './named.ts';

const profile = z.strictObject({ read: list(z.string()), write: list(z.string()), network: list(z.string()) });

export const sandboxStateSchema = answer(
  'SandboxState',
  z.strictObject({
    server: z.string(),
    mode: z.enum(sandboxModes).describe('The mode in which the program starts.'),
    problem: z.string().optional().describe('Why sandboxes do not work on this machine, with the remedy.'),
    configured: profile.describe('What the settings of the server allow.'),
    accepted: z
      .strictObject({
        profile,
        at: isoTime,
        by: z.string(),
        isStale: z
          .boolean()
          .describe('The program of the server has changed since. The profile is not used until it is accepted again.'),
      })
      .optional()
      .describe('The profile that a person has accepted, which is allowed too.'),
    denied: list(z.string()).describe('Hosts that a person has denied for ever.'),
    watchesFiles: z.boolean().describe('False if strace is not installed: only hosts are learned then.'),
    learningSince: isoTime.optional().describe('When the program began to learn.'),
    proposal: z
      .strictObject({
        entries: list(
          z.strictObject({
            list: z.enum(sandboxLists),
            entry: z.string(),
            change: z.enum(['added', 'removed', 'same']).describe('Compared with what is allowed now.'),
            causes: list(z.string()).describe('The tools during whose calls the program used it; `start` for none.'),
          }),
        ),
        programs: list(z.string()).describe('The programs that it started.'),
      })
      .optional()
      .describe('The smallest profile for what the program has used while it learned.'),
    blocked: list(
      z.strictObject({
        list: z.enum(sandboxLists).describe('The list of the profile in which it is missing.'),
        entry: z.string().describe('The host, or the path.'),
        at: isoTime,
        tool: z.string().optional().describe('The tool whose call ran at that time.'),
        reason: z.string(),
      }),
    ).describe('The latest hosts that the program did not reach, and paths that it probably lacked, newest first.'),
  }),
);

export const sandboxListSchema = answer('SandboxList', z.strictObject({ servers: list(sandboxStateSchema) }));

export const sandboxLearningSchema = body(
  'SandboxLearning',
  z.strictObject({ enabled: z.boolean().describe('Starts or ends learning, and the program anew.') }),
);

export const sandboxProfileSchema = body(
  'SandboxProfile',
  z.strictObject(sandboxProfileShape).describe('The whole profile to accept.'),
);
