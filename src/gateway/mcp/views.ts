import type { ProfileConfig } from '../../config/config.ts';
import type { Toolbox, ToolboxEvents } from '../../toolbox.ts';
import { createView, type View } from './view.ts';

/** The view of each profile, kept until something changes. */
export interface Views {
  /** Waits a short while for servers that are still starting; then what is there. */
  get(profile: ProfileConfig): Promise<View>;
  close(): void;
}

export interface ViewsOptions {
  readonly toolbox: Toolbox;
  /** How long a list waits for servers that have never been connected yet; 3 000. */
  readonly startWaitMs?: number;
}

export function createViews({ toolbox, startWaitMs = 3_000 }: ViewsOptions): Views {
  const views = new Map<string, View>();
  const patience = Date.now() + startWaitMs;
  const changed = ['catalog.changed', 'content.changed', 'server.changed', 'config.applied'] as const;
  const ends = changed.map((name: keyof ToolboxEvents) => toolbox.on(name, () => views.clear()));

  function isStarting(): boolean {
    return toolbox
      .servers()
      .some(
        ({ enabled, status }) =>
          enabled && status.state === 'connecting' && !status.lastConnectedAt && status.failures === 0,
      );
  }

  async function settle(): Promise<void> {
    const left = patience - Date.now();
    if (left <= 0 || !isStarting()) return;
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer);
        end();
        resolve();
      };
      const timer = setTimeout(done, left);
      const end = toolbox.on('server.changed', () => {
        if (!isStarting()) done();
      });
    });
  }

  return {
    async get(profile) {
      await settle();
      const known = views.get(profile.name);
      if (known?.profile === profile) return known;
      const view = createView(toolbox, profile);
      views.set(profile.name, view);
      return view;
    },
    close: () => {
      for (const end of ends) end();
    },
  };
}
