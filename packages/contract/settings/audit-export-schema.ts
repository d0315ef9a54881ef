import { z } from 'zod';
import { lazy } from '../lazy.ts';
import { choice, filledText, list } from './schema-parts.ts';

/** The formats in which the journal is exported. */
export const auditFormats = ['ocsf', 'json'] as const;

const common = {
  name: filledText
    .regex(/^[a-z0-9-]{1,40}$/, 'must have 1 to 40 of a-z, 0-9 and -')
    .describe('The name of the destination. Its position in the journal is stored under this name.'),
  format: choice(auditFormats)
    .optional()
    .describe(
      'ocsf: events of the Open Cybersecurity Schema Framework, without arguments and results. json: the entries of the journal, with all of them. Default: ocsf.',
    ),
};

const fileSchema = lazy(() =>
  z.strictObject({
    type: z.literal('file'),
    ...common,
    path: filledText.describe('The file to which lines are appended. May be ${VAR}.'),
  }),
);

const syslogSchema = lazy(() =>
  z.strictObject({
    type: z.literal('syslog'),
    ...common,
    server: filledText
      .regex(/^(tls|tcp):\/\/[^/?#@\s]+:\d{1,5}$/, 'must be a URL such as tls://siem.example.com:6514')
      .describe('The server for RFC 5424 over TLS (tls://) or, on this machine, without it (tcp://).'),
    ca: filledText.optional().describe('PEM file of the authority of the server. Default: those of the system.'),
  }),
);

const httpSchema = lazy(() =>
  z.strictObject({
    type: z.literal('http'),
    ...common,
    url: filledText.describe('The collector, to which lines of JSON are posted. May be ${VAR}.'),
    authorization: filledText.optional().describe('The value of the header Authorization; preferably ${VAR}.'),
  }),
);

/** A place to which the journal is exported. */
const auditDestinationSchema = lazy(() =>
  z.discriminatedUnion('type', [fileSchema(), syslogSchema(), httpSchema()], {
    error: "must be a map with the type 'file', 'syslog' or 'http'",
  }),
);

export type AuditDestination = z.output<ReturnType<typeof auditDestinationSchema>>;

export const auditExportSchema = lazy(() =>
  list(auditDestinationSchema()).refine(
    (destinations) => new Set(destinations.map(({ name }) => name)).size === destinations.length,
    'two destinations have the same name',
  ),
);
