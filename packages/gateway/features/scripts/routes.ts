import type { ScriptView } from '../../../contract/api/scripts.ts';
import { scriptRoutes as routes } from '../../../contract/routes/scripts.ts';
import { readOnlyReason } from '../../core/records/administer.ts';
import { withCurrent } from '../../core/rest/revision-conflict.ts';
import { type ApiPorts, implement } from '../../core/rest/route.ts';
import { scriptPorts } from './ports.ts';
import type { SavedScript } from './stored-scripts.ts';

export const scriptRoutes = [
  implement(routes.listScripts, {
    handle: async (_, ports) => ({
      scripts: ports
        .of(scriptPorts)
        .list()
        .map((script) => show(script, ports)),
    }),
  }),
  implement(routes.createScript, {
    async handle({ body: { name, timeout: timeoutMs, ...settings } }, ports) {
      await ports.of(scriptPorts).add(name, { ...settings, timeoutMs });
      return show(ports.of(scriptPorts).find(name), ports);
    },
  }),
  implement(routes.getScript, {
    handle: async ({ params: { script } }, ports) => show(ports.of(scriptPorts).find(script), ports),
  }),
  implement(routes.updateScript, {
    async handle({ params: { script }, body: { revision, timeout: timeoutMs, ...settings } }, ports) {
      const stored = ports.of(scriptPorts);
      const showNow = async () => show(stored.find(script), ports);
      await withCurrent(() => stored.update(script, { ...settings, timeoutMs }, revision), showNow);
      return showNow();
    },
  }),
  implement(routes.removeScript, {
    handle: ({ params: { script } }, ports) => ports.of(scriptPorts).remove(script),
  }),
];

function show({ record, steps: _, ...script }: SavedScript, { toolbox }: ApiPorts): ScriptView {
  const { name, code } = script;
  const entry = toolbox.catalog.find({ tool: name });
  return {
    ...script,
    tool: entry?.script?.code === code ? entry.name : undefined,
    source: record ? 'store' : 'file',
    readOnly: record ? undefined : readOnlyReason('script', name, toolbox.loaded.file),
    updatedAt: record?.updatedAt,
    revision: record?.revision,
  };
}
