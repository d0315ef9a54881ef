import { z } from 'zod';
import { answer, body, isoTime, json, list } from '../api/named.ts';
import { defineRoutes } from './define-routes.ts';

const nameSchema = z.string().trim().min(1, 'must not be empty').max(100, 'must have at most 100 characters');
const sharedSchema = z.boolean().describe('Whether all callers see the request; only administrators can share.');

const savedRequestInputSchema = body(
  'SavedRequestInput',
  z.strictObject({
    name: nameSchema,
    tool: z.string().min(1).max(500).describe("The tool's exposed name."),
    arguments: json.describe('At most 64 KiB as JSON.'),
    shared: sharedSchema.default(false),
  }),
);

const savedRequestChangeSchema = body(
  'SavedRequestChange',
  z.strictObject({ name: nameSchema.optional(), arguments: json.optional(), shared: sharedSchema.optional() }),
);

export const savedRequestSchema = answer(
  'SavedRequest',
  z.strictObject({
    id: z.string(),
    name: z.string(),
    tool: z.string(),
    arguments: json,
    shared: z.boolean(),
    isOwn: z.boolean().describe('Whether the caller saved it.'),
    canEdit: z.boolean().describe('Whether the caller can change and delete it: its owner, and administrators.'),
    createdAt: isoTime,
    updatedAt: isoTime,
  }),
);

const savedRequestListSchema = answer('SavedRequestList', z.strictObject({ requests: list(savedRequestSchema) }));
const group = 'calls';
const params = z.object({ request: z.string() });

export const savedRequestRoutes = defineRoutes({
  listSavedRequests: {
    method: 'get',
    path: '/api/requests',
    right: 'calls.read',
    group,
    summary: 'Lists the saved requests of the caller, and the shared ones for tools that the caller can use.',
    answer: savedRequestListSchema,
  },
  saveRequest: {
    method: 'post',
    path: '/api/requests',
    right: 'tools.call',
    group,
    summary: 'Saves a tool with its arguments under a name. A caller can save up to 200 requests.',
    body: savedRequestInputSchema,
    answer: savedRequestSchema,
    status: 201,
    errors: ['LIMIT_REACHED'],
  },
  updateSavedRequest: {
    method: 'put',
    path: '/api/requests/{request}',
    right: 'tools.call',
    group,
    summary: 'Renames a saved request, or changes its arguments or audience.',
    params,
    body: savedRequestChangeSchema,
    answer: savedRequestSchema,
    errors: ['NOT_FOUND'],
  },
  removeSavedRequest: {
    method: 'delete',
    path: '/api/requests/{request}',
    right: 'tools.call',
    group,
    summary: 'Deletes a saved request.',
    params,
    errors: ['NOT_FOUND'],
  },
});
