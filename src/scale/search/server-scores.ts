import { type ToolDocument, weighForServer, weighServer } from './tool-fields.ts';

/** How well each server as a whole matches a query: its name, its description and the words of its tools. */
export interface ServerScores {
  add(document: ToolDocument, termId: (term: string) => number): void;
  remove(document: ToolDocument, termId: (term: string) => number): void;
  /** The scores by server of the query terms with these weights. */
  score(weights: ReadonlyMap<number, number>): Map<string, number>;
}

interface ServerWords {
  tools: number;
  /** The sum of all frequencies. */
  length: number;
  text: string;
}

const saturation = 1.2;
const lengthDiscount = 0.5;
/** The sum of the weighted frequencies of a usual server. */
const usualLength = 60;

/** Creates the scores of no servers. */
export function createServerScores(): ServerScores {
  const servers = new Map<string, ServerWords>();
  const frequencies = new Map<number, Map<string, number>>();

  function change(name: string, server: ServerWords, words: Iterable<readonly [number, number]>, sign: 1 | -1): void {
    for (const [id, frequency] of words) {
      const byServer = frequencies.get(id) ?? new Map<string, number>();
      frequencies.set(id, byServer);
      const left = (byServer.get(name) ?? 0) + sign * frequency;
      server.length += sign * frequency;
      // All frequencies are multiples of a half, so that sums are exact.
      if (left > 0) byServer.set(name, left);
      else byServer.delete(name);
      if (byServer.size === 0) frequencies.delete(id);
    }
  }

  return {
    add(document, termId) {
      const { server: name = '', serverText: text = '' } = document;
      const server = servers.get(name) ?? { tools: 0, length: 0, text: '' };
      if (server.tools === 0) change(name, server, toIds(termId, weighServer(name, text)), 1);
      else if (server.text !== text) {
        change(name, server, toIds(termId, weighServer(name, server.text)), -1);
        change(name, server, toIds(termId, weighServer(name, text)), 1);
      }
      server.text = text;
      server.tools++;
      servers.set(name, server);
      change(name, server, toIds(termId, weighForServer(document)), 1);
    },
    remove(document, termId) {
      const { server: name = '' } = document;
      const server = servers.get(name);
      if (!server) return;
      change(name, server, toIds(termId, weighForServer(document)), -1);
      if (--server.tools > 0) return;
      change(name, server, toIds(termId, weighServer(name, server.text)), -1);
      servers.delete(name);
    },
    score(weights) {
      const scores = new Map<string, number>();
      for (const [id, weight] of weights) {
        const byServer = frequencies.get(id);
        if (!byServer) continue;
        const rarity = Math.log(1 + (servers.size - byServer.size + 0.5) / (byServer.size + 0.5));
        for (const [name, frequency] of byServer) {
          const length = servers.get(name)?.length ?? usualLength;
          const room = saturation * (1 - lengthDiscount + lengthDiscount * (length / usualLength));
          const impact = (frequency * (saturation + 1)) / (frequency + room);
          scores.set(name, (scores.get(name) ?? 0) + weight * rarity * impact);
        }
      }
      return scores;
    },
  };
}

function toIds(termId: (term: string) => number, words: ReadonlyMap<string, number>): (readonly [number, number])[] {
  return [...words].map(([term, frequency]) => [termId(term), frequency]);
}
