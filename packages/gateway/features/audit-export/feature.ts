import type { Feature } from '../../core/feature.ts';

/** Sends the journal to files, syslog servers and collectors. */
export const auditExport: Feature = {
  name: 'audit-export',
  async open({ toolbox, storage, log, stopping, process: { connects, env } }) {
    const { auditExport: destinations = [] } = toolbox.config.gateway;
    if (destinations.length === 0 || !connects) return {};
    const { startExport } = await import('./export-journal.ts');
    const ports = { storage, log, stopping, env };
    const running = destinations.map((destination) => startExport(destination, ports));
    return { close: async () => void (await Promise.all(running.map(({ close }) => close()))) };
  },
};
