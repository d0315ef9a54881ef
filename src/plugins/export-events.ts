import type { Events } from '../kernel/events.ts';
import type { ToolboxEvents } from '../servers/toolbox-events.ts';
import type { ExportedEvent, ExportedEventName } from './plugin.ts';
import type { PluginSet } from './plugin-set.ts';

// A map, so that the type requires every name.
const exportedEvents: Readonly<Record<ExportedEventName, true>> = {
  'server.changed': true,
  'catalog.changed': true,
  'tool.flagged': true,
  'content.changed': true,
  'approval.asked': true,
  'approval.answered': true,
  'profiles.changed': true,
  'config.applied': true,
  'config.refused': true,
};

/** Passes ended calls and events to the exporters of plugins. */
export function exportEvents(events: Pick<Events<ToolboxEvents>, 'on'>, plugins: Pick<PluginSet, 'export'>): void {
  events.on('call.changed', (call) => {
    if (call.completedAt !== undefined) plugins.export(() => ({ type: 'call', call }));
  });
  for (const name of Object.keys(exportedEvents) as ExportedEventName[]) {
    events.on(name, (event) => {
      const data = 'error' in event ? { message: event.error.message } : event;
      plugins.export(() => ({ type: 'event', name, at: new Date().toISOString(), data }) as ExportedEvent);
    });
  }
}
