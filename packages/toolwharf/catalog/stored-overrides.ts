import { isDeepStrictEqual } from 'node:util';
import { createMutex } from '../kernel/mutex.ts';
import { toolKey } from '../kernel/tool-id.ts';
import type { Catalog } from './catalog.ts';
import { isEmptyOverride, type ToolOverride, type ToolOverrideStore } from './tool-overrides.ts';

/** Overrides that are stored, and apply to a catalog. */
export interface StoredOverrides {
  /** Reads the stored overrides and applies them. */
  reload(): Promise<void>;
  /** Stores overrides and applies them. Rejects a name that another tool has, and then stores none. */
  set(overrides: readonly ToolOverride[]): Promise<void>;
}

export interface StoredOverridesOptions {
  readonly catalog: Pick<Catalog, 'overrides' | 'setOverrides' | 'assertNameFree'>;
  readonly store: ToolOverrideStore;
  /** Whether names without a server are in use. */
  readonly isPlain: () => boolean;
}

export function createStoredOverrides({ catalog, store, isPlain }: StoredOverridesOptions): StoredOverrides {
  const exclusively = createMutex();

  async function apply(overrides: readonly ToolOverride[]): Promise<void> {
    const next = new Map(overrides.map((override) => [toolKey(override), override]));
    if (!isDeepStrictEqual(next, catalog.overrides)) await catalog.setOverrides(overrides);
  }

  return {
    reload: () => exclusively(async () => apply(await store.list())),
    set: (changed) =>
      exclusively(async () => {
        for (const override of changed) catalog.assertNameFree(override, isPlain());
        await store.setAll(changed);
        const all = new Map(
          [...catalog.overrides.values(), ...changed].map((override) => [toolKey(override), override]),
        );
        await apply([...all.values()].filter((override) => !isEmptyOverride(override)));
      }),
  };
}
