import { openScripts } from '../../../toolwharf/features/scripts/open-scripts.ts';
import type { Feature } from '../../core/feature.ts';
import { resumeScripts } from './resume-scripts.ts';
import { createScriptTools, createStoredScripts, type StoredScripts } from './stored-scripts.ts';

/** Scripts that models write, and scripts that are saved as tools. */
export const scripts: Feature<StoredScripts> = {
  name: 'scripts',
  start() {
    const tools = createScriptTools();
    return {
      core: { scripts: (searchFor) => ({ open: (used) => openScripts(used, { searchFor }) }) },
      plugins: [{ name: 'toolwharf.scripts', tools }],
      async open({ toolbox, storage, fleet, calls: { hosts }, ready, stopping, log }) {
        // The toolbox offers the stored scripts from the start.
        const stored = createStoredScripts({ toolbox, store: storage.scripts, tools, log });
        await stored.reload();
        fleet.onChange('scripts', stored.reload);
        const resumed = resumeScripts({ storage, toolbox, hosts, ready, log });
        const stop = () => resumed[Symbol.dispose]();
        stopping.addEventListener('abort', stop, { once: true });
        return { ports: stored, close: stop };
      },
    };
  },
  routes: async () => (await import('./routes.ts')).scriptRoutes,
};
