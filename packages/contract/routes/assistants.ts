import { z } from 'zod';
import {
  assistantInputSchema,
  assistantListSchema,
  assistantPreviewInputSchema,
  assistantPreviewSchema,
  assistantViewSchema,
} from '../api/assistants.ts';
import { defineRoutes } from './define-routes.ts';

const group = 'assistants';
const params = z.object({ assistant: z.uuid() });

export const assistantRoutes = defineRoutes({
  listAssistants: {
    method: 'get',
    path: '/api/assistants',
    right: 'assistants.read',
    group,
    summary: 'Lists every assistant with its model and tool settings.',
    answer: assistantListSchema,
  },
  previewAssistant: {
    method: 'post',
    path: '/api/assistants/preview',
    right: 'assistants.read',
    group,
    summary:
      'Returns the tools that an assistant with these settings would have, and their token cost. Nothing is stored.',
    body: assistantPreviewInputSchema,
    answer: assistantPreviewSchema,
  },
  getAssistant: {
    method: 'get',
    path: '/api/assistants/{assistant}',
    right: 'assistants.read',
    group,
    summary: 'Returns one assistant with its model and tool settings.',
    params,
    answer: assistantViewSchema,
    errors: ['NOT_FOUND'],
  },
  putAssistant: {
    method: 'put',
    path: '/api/assistants/{assistant}',
    right: 'assistants.write',
    group,
    summary: 'Creates or replaces an assistant.',
    params,
    body: assistantInputSchema,
    answer: assistantViewSchema,
    errors: ['CONFLICT'],
  },
  removeAssistant: {
    method: 'delete',
    path: '/api/assistants/{assistant}',
    right: 'assistants.write',
    group,
    summary: 'Deletes an assistant.',
    params,
    errors: ['NOT_FOUND'],
  },
});
