import { z } from 'zod';
import { answer, body, isoTime, list } from '../api/named.ts';
import { elevationStates } from '../records/elevation.ts';
import { defineRoutes } from './define-routes.ts';

const actorSchema = z.strictObject({
  id: z.string().describe('The caller id.'),
  name: z.string().optional(),
  client: z.strictObject({ name: z.string(), version: z.string().optional() }).optional(),
});

export const elevationSchema = answer(
  'Elevation',
  z.strictObject({
    id: z.string(),
    user: z.string().describe('The id of the user who asks.'),
    askedBy: actorSchema,
    role: z.string(),
    reason: z.string(),
    minutes: z.int(),
    status: z.enum(elevationStates),
    createdAt: isoTime,
    answeredBy: actorSchema.optional(),
    answeredAt: isoTime.optional(),
    until: isoTime.optional().describe('When the role ends, or ended.'),
    isOwn: z.boolean(),
    mayAnswer: z.boolean().describe('Whether the caller may grant or deny it: never a request of the same person.'),
  }),
);

export const elevationListSchema = answer('ElevationList', z.strictObject({ elevations: list(elevationSchema) }));

export const elevationInputSchema = body(
  'ElevationInput',
  z.strictObject({
    role: z.string().min(1).max(50),
    reason: z.string().trim().min(1).max(500).describe('Why the role is needed. Who grants it reads this.'),
    minutes: z.int().min(5).max(480).default(60),
  }),
);

export const elevationAnswerSchema = body('ElevationAnswer', z.strictObject({ answer: z.enum(['grant', 'deny']) }));

const group = 'elevations';
const params = z.object({ elevation: z.string() });

export const elevationRoutes = defineRoutes({
  listElevations: {
    method: 'get',
    path: '/api/elevations',
    right: 'tools.read',
    group,
    summary:
      'Lists requests for a role for a limited time, newest first: those of the caller, and with the permission `roles.grant` those of everyone.',
    answer: elevationListSchema,
  },
  requestElevation: {
    recorded: true,
    method: 'post',
    path: '/api/elevations',
    right: 'elevations.request',
    group,
    summary: 'Asks for a role for a limited time. Another person grants or denies it.',
    body: elevationInputSchema,
    answer: elevationSchema,
    status: 201,
    errors: ['CONFLICT', 'NOT_FOUND'],
  },
  answerElevation: {
    method: 'post',
    path: '/api/elevations/{elevation}/answer',
    right: 'roles.grant',
    group,
    summary:
      'Grants or denies a role for a limited time. Needs every permission of the role. Nobody answers their own request, with any of their identities.',
    params,
    body: elevationAnswerSchema,
    answer: elevationSchema,
    errors: ['CONFLICT', 'NOT_FOUND'],
  },
  endElevation: {
    recorded: true,
    method: 'post',
    path: '/api/elevations/{elevation}/end',
    right: 'tools.read',
    group,
    summary: 'Withdraws a request of the caller, or ends a granted role before its time.',
    params,
    answer: elevationSchema,
    errors: ['CONFLICT', 'NOT_FOUND'],
  },
});
