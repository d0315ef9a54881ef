import type { ProfileConfig } from '../../../contract/settings/config.ts';
import type { CatalogEntry } from '../../../toolwharf/catalog/catalog.ts';
import type { InternalToolbox, ToolboxEvents } from '../../../toolwharf/toolbox.ts';
import { createStartWait } from '../servers/start-wait.ts';
import { createView, type View } from './view.ts';
import type { ViewParts } from './view-parts.ts';

interface CachedView {
  readonly profile: ProfileConfig;
  readonly tools: readonly CatalogEntry[];
  view: View | Promise<View>;
}

/** Caches the view of each profile until the catalog or the configuration changes. */
export interface Views {
  /** Waits a short time for servers that are still starting. Then the view is returned at once, unless it has to be created. */
  get(profile: ProfileConfig): View | Promise<View>;
  close(): void;
}

export interface ViewsOptions {
  readonly toolbox: InternalToolbox;
  /** What features add to the views; nothing by default. */
  readonly parts?: ViewParts;
  /** How long a list waits for servers that have never connected; 3 000 by default. */
  readonly startWaitMs?: number;
}

export function createViews({ toolbox, parts, startWaitMs = 3_000 }: ViewsOptions): Views {
  const views = new Map<string, CachedView>();
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
    const known = views.get(keyOf(profile));
    // Tools change before their change is announced.
    const isCurrent = known?.profile === profile && known.tools === toolbox.catalog.entries;
    return isCurrent ? known.view : create(profile);
  }

  function create(profile: ProfileConfig): Promise<View> {
    const others = [...latest.values()].filter((view) => keyOf(view.profile) !== keyOf(profile));
    const creating = createView(toolbox, profile, { parts, before: latest.get(keyOf(profile)), others });
    const entry: CachedView = { profile, tools: toolbox.catalog.entries, view: creating };
    views.set(keyOf(profile), entry);
    return creating.then((view) => {
      entry.view = view;
      latest.set(keyOf(profile), view);
      // Before the first search. A failure is reported by the search itself.
      if (view.exposure.expose !== 'all') view.toolSearch.prepare(view.searchable).catch(() => {});
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

/** An endpoint of one server of a profile has a view of its own. */
function keyOf({ name, only }: ProfileConfig): string {
  return only === undefined ? name : `${name}?${only}`;
}
