import type { ProfileConfig } from '../../config/config.ts';
import { createStartWait } from '../../servers/start-wait.ts';
import type { InternalToolbox, ToolboxEvents } from '../../toolbox.ts';
import { createView, type View } from './view.ts';

/** Caches the view of each profile until the catalog or the configuration changes. */
export interface Views {
  /** Waits a short time for servers that are still starting, then returns the current view. */
  get(profile: ProfileConfig): Promise<View>;
  close(): void;
}

export interface ViewsOptions {
  readonly toolbox: InternalToolbox;
  /** How long a list waits for servers that have never connected; 3 000 by default. */
  readonly startWaitMs?: number;
}

export function createViews({ toolbox, startWaitMs = 3_000 }: ViewsOptions): Views {
  const views = new Map<string, { readonly profile: ProfileConfig; readonly view: Promise<View> }>();
  const latest = new Map<string, View>();
  const started = createStartWait(toolbox, startWaitMs);
  const changed = [
    'catalog.changed',
    'content.changed',
    'server.changed',
    'profiles.changed',
    'config.applied',
  ] as const;
  const ends = changed.map((name: keyof ToolboxEvents) => toolbox.on(name, () => views.clear()));

  return {
    async get(profile) {
      const starting = started();
      if (starting) await starting;
      const known = views.get(profile.name);
      if (known?.profile === profile) return known.view;
      const view = createView(toolbox, profile, latest.get(profile.name));
      views.set(profile.name, { profile, view });
      latest.set(profile.name, await view);
      return view;
    },
    close: () => {
      for (const end of ends) end();
    },
  };
}
