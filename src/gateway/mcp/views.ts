import type { ProfileConfig } from '../../config/config.ts';
import { createStartWait } from '../../servers/start-wait.ts';
import type { InternalToolbox, ToolboxEvents } from '../../toolbox.ts';
import { createView, type View } from './view.ts';

/** Caches the view of each profile until the catalog or the configuration changes. */
export interface Views {
  /** Waits a short time for servers that are still starting. Then the view is returned at once, unless it has to be created. */
  get(profile: ProfileConfig): View | Promise<View>;
  close(): void;
}

export interface ViewsOptions {
  readonly toolbox: InternalToolbox;
  /** How long a list waits for servers that have never connected; 3 000 by default. */
  readonly startWaitMs?: number;
}

export function createViews({ toolbox, startWaitMs = 3_000 }: ViewsOptions): Views {
  const views = new Map<string, { readonly profile: ProfileConfig; view: View | Promise<View> }>();
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

  function current(profile: ProfileConfig): View | Promise<View> {
    const known = views.get(profile.name);
    return known?.profile === profile ? known.view : create(profile);
  }

  function create(profile: ProfileConfig): Promise<View> {
    const creating = createView(toolbox, profile, latest.get(profile.name));
    const entry: { readonly profile: ProfileConfig; view: View | Promise<View> } = { profile, view: creating };
    views.set(profile.name, entry);
    return creating.then((view) => {
      entry.view = view;
      latest.set(profile.name, view);
      return view;
    });
  }

  return {
    get(profile) {
      const starting = started();
      return starting ? starting.then(() => current(profile)) : current(profile);
    },
    close: () => {
      for (const end of ends) end();
    },
  };
}
