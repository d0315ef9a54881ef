import type { RegistryPage, RegistryServer } from '../../../api/client.ts';

/** The servers of all pages in their order, each once: between two pages a registry may have moved on. */
export function mergePages(pages: readonly RegistryPage[]): readonly RegistryServer[] {
  const found = new Map<string, RegistryServer>();
  for (const server of pages.flatMap(({ servers }) => servers)) {
    if (!found.has(server.name)) found.set(server.name, server);
  }
  return [...found.values()];
}
