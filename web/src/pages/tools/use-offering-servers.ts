import { useQuery } from '@tanstack/react-query';
import type { Server } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';

/** The names of the servers that offer something of these kinds; undefined while that is not known. */
export function useOfferingServers(kinds: readonly (keyof Server['offers'])[]): readonly string[] | undefined {
  const servers = useQuery(queries.servers()).data;
  return servers?.filter(({ offers }) => kinds.some((kind) => (offers[kind]?.count ?? 0) > 0)).map(({ name }) => name);
}
