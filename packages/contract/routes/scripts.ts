import { z } from 'zod';
import { newScriptSchema, scriptInputSchema, scriptListSchema, scriptSchema } from '../api/scripts.ts';
import { defineRoutes } from './define-routes.ts';

const group = 'scripts';
const params = z.object({ script: z.string() });

export const scriptRoutes = defineRoutes({
  listScripts: {
    method: 'get',
    path: '/api/scripts',
    right: 'scripts.write',
    group,
    summary: 'Lists the scripts that are tools: those of the configuration file, and the saved ones.',
    answer: scriptListSchema,
  },
  createScript: {
    method: 'post',
    path: '/api/scripts',
    right: 'scripts.write',
    group,
    summary: 'Saves a script and offers it as a tool. Its code is parsed, not run.',
    body: newScriptSchema,
    answer: scriptSchema,
    status: 201,
    errors: ['CONFIG_INVALID', 'CONFLICT'],
  },
  getScript: {
    method: 'get',
    path: '/api/scripts/{script}',
    right: 'scripts.write',
    group,
    summary: 'Returns one script.',
    params,
    answer: scriptSchema,
    errors: ['NOT_FOUND'],
  },
  updateScript: {
    method: 'put',
    path: '/api/scripts/{script}',
    right: 'scripts.write',
    group,
    summary: 'Replaces a saved script. Running calls go on with the script that they began with.',
    params,
    body: scriptInputSchema,
    answer: scriptSchema,
    errors: ['CONFIG_INVALID', 'CONFLICT', 'NOT_FOUND'],
  },
  removeScript: {
    method: 'delete',
    path: '/api/scripts/{script}',
    right: 'scripts.write',
    group,
    summary: 'Deletes a saved script and its tool.',
    params,
    errors: ['CONFLICT', 'NOT_FOUND'],
  },
});
