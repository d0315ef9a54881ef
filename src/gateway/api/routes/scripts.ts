import { z } from 'zod';
import { readOnlyReason, type SavedScript } from '../../scripts/stored-scripts.ts';
import { type ApiPorts, route } from '../route.ts';
import {
  newScriptSchema,
  type ScriptView,
  scriptInputSchema,
  scriptListSchema,
  scriptSchema,
} from '../schemas/scripts.ts';

const group = 'scripts';
const params = z.object({ script: z.string() });

export const scriptRoutes = [
  route({
    operationId: 'listScripts',
    method: 'get',
    path: '/api/scripts',
    right: 'admin',
    group,
    summary: 'Lists the scripts that are tools: those of the configuration file, and the saved ones.',
    answer: scriptListSchema,
    handle: async (_, ports) => ({ scripts: ports.scripts.list().map((script) => show(script, ports)) }),
  }),
  route({
    operationId: 'createScript',
    method: 'post',
    path: '/api/scripts',
    right: 'admin',
    group,
    summary: 'Saves a script and offers it as a tool. Its code is parsed, not run.',
    body: newScriptSchema,
    answer: scriptSchema,
    status: 201,
    errors: ['CONFIG_INVALID', 'CONFLICT'],
    async handle({ body: { name, timeout: timeoutMs, ...settings } }, ports) {
      await ports.scripts.add(name, { ...settings, timeoutMs });
      return show(ports.scripts.find(name), ports);
    },
  }),
  route({
    operationId: 'getScript',
    method: 'get',
    path: '/api/scripts/{script}',
    right: 'admin',
    group,
    summary: 'Returns one script.',
    params,
    answer: scriptSchema,
    errors: ['NOT_FOUND'],
    handle: async ({ params: { script } }, ports) => show(ports.scripts.find(script), ports),
  }),
  route({
    operationId: 'updateScript',
    method: 'put',
    path: '/api/scripts/{script}',
    right: 'admin',
    group,
    summary: 'Replaces a saved script. Running calls go on with the script that they began with.',
    params,
    body: scriptInputSchema,
    answer: scriptSchema,
    errors: ['CONFIG_INVALID', 'CONFLICT', 'NOT_FOUND'],
    async handle({ params: { script }, body: { updatedAt, timeout: timeoutMs, ...settings } }, ports) {
      await ports.scripts.update(script, { ...settings, timeoutMs }, updatedAt);
      return show(ports.scripts.find(script), ports);
    },
  }),
  route({
    operationId: 'removeScript',
    method: 'delete',
    path: '/api/scripts/{script}',
    right: 'admin',
    group,
    summary: 'Deletes a saved script and its tool.',
    params,
    errors: ['CONFLICT', 'NOT_FOUND'],
    handle: ({ params: { script } }, ports) => ports.scripts.remove(script),
  }),
];

function show({ record, steps: _, ...script }: SavedScript, { toolbox }: ApiPorts): ScriptView {
  const { name, code } = script;
  const entry = toolbox.catalog.find({ tool: name });
  return {
    ...script,
    tool: entry?.script?.code === code ? entry.name : undefined,
    source: record ? 'store' : 'file',
    readOnly: record ? undefined : readOnlyReason(name, toolbox.loaded.file),
    updatedAt: record?.updatedAt,
  };
}
