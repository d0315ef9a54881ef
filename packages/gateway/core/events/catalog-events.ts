import type { EventData } from '../../../contract/api/events.ts';
import { createSlice } from '../../../toolwharf/kernel/slices.ts';
import type { InternalToolbox, ToolboxEvents } from '../../../toolwharf/toolbox.ts';

/** The facts that decide whether a profile includes a tool. */
export interface ScopedTool {
  readonly server?: string;
  readonly originalName: string;
  readonly isNew?: boolean;
}

type CatalogChange = ToolboxEvents['catalog.changed'];

export interface CatalogEvents {
  /** Publishes a change of the catalog after all earlier ones. A change of very many tools is prepared in slices. */
  add(change: CatalogChange): void;
  /** Publishes nothing from now on. */
  stop(): void;
}

export function createCatalogEvents(
  toolbox: Pick<InternalToolbox, 'catalog'>,
  publish: (data: EventData<'catalog.changed'>, tools: Readonly<Record<string, ScopedTool>>) => void,
): CatalogEvents {
  const known = new Map<string, ScopedTool>();
  for (const { name } of toolbox.catalog.entries) remember(name);
  const queue: CatalogChange[] = [];
  let isPublishing = false;
  let isStopped = false;

  function remember(name: string): void {
    const entry = toolbox.catalog.find(name);
    if (entry) known.set(name, { server: entry.server, originalName: entry.originalName, isNew: entry.isNew });
  }

  async function publishAll(): Promise<void> {
    isPublishing = true;
    try {
      const slice = createSlice();
      for (let change = queue.shift(); change; change = queue.shift()) {
        const { server, added, removed, changed } = change;
        // A server chooses the names of its tools: no name may be a member of a prototype.
        const tools: Record<string, ScopedTool> = Object.create(null);
        for (const names of [added, removed, changed]) {
          for (const name of names) {
            // The visibility of a removed tool can no longer be looked up in the catalog.
            if (names !== removed) remember(name);
            const tool = known.get(name);
            if (tool) tools[name] = tool;
            if (slice.isOver()) await slice.next();
          }
        }
        if (isStopped) return;
        for (const name of removed) known.delete(name);
        publish({ server, added: [...added], removed: [...removed], changed: [...changed] }, tools);
      }
    } finally {
      isPublishing = false;
    }
  }

  return {
    add(change) {
      queue.push(change);
      if (!isPublishing) void publishAll();
    },
    stop() {
      isStopped = true;
    },
  };
}
