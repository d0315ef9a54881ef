import { grow } from './postings.ts';
import { type ToolDocument, weighForServer, weighServer } from './tool-fields.ts';

/** How well each server as a whole matches a query: its name, its description and the words of its tools. */
export interface ServerScores {
  /** Counts a tool; returns the number of its server, which stays the same while the server has tools. */
  add(document: ToolDocument, termId: (term: string) => number): number;
  remove(document: ToolDocument, termId: (term: string) => number): void;
  /** The number of a server that has tools. */
  find(name: string): number | undefined;
  /** Whether a server has the term. */
  has(term: number): boolean;
  /** The scores of the query terms with these weights, by the number of the server; valid until the next call. */
  score(weights: ReadonlyMap<number, number>): Float64Array;
}

interface ServerWords {
  readonly number: number;
  tools: number;
  /** The sum of all frequencies. */
  length: number;
  text: string;
}

/** How much a term counts in each of the servers that have it. */
interface ServerPosting {
  readonly rarity: number;
  readonly servers: Int32Array;
  readonly impacts: Float64Array;
}

const saturation = 1.2;
const lengthDiscount = 0.5;
/** The sum of the weighted frequencies of a usual server. */
const usualLength = 60;

/** Creates the scores of no servers. */
export function createServerScores(): ServerScores {
  const servers = new Map<string, ServerWords>();
  const freeNumbers: number[] = [];
  const frequencies = new Map<number, Map<ServerWords, number>>();
  /** Computed from the frequencies by the first query with the term after a change. */
  const postings = new Map<number, ServerPosting>();
  let scores = new Float64Array(64);

  function open(name: string): ServerWords {
    const number = freeNumbers.pop() ?? servers.size;
    const server = { number, tools: 0, length: 0, text: '' };
    servers.set(name, server);
    if (number >= scores.length) scores = grow(scores, new Float64Array(2 * scores.length));
    return server;
  }

  function change(server: ServerWords, words: Iterable<readonly [number, number]>, sign: 1 | -1): void {
    for (const [id, frequency] of words) {
      const byServer = frequencies.get(id) ?? new Map<ServerWords, number>();
      frequencies.set(id, byServer);
      const left = (byServer.get(server) ?? 0) + sign * frequency;
      server.length += sign * frequency;
      // All frequencies are multiples of a half, so that sums are exact.
      if (left > 0) byServer.set(server, left);
      else byServer.delete(server);
      if (byServer.size === 0) frequencies.delete(id);
    }
  }

  function readPosting(id: number, byServer: ReadonlyMap<ServerWords, number>): ServerPosting {
    const known = postings.get(id);
    if (known) return known;
    const posting = {
      rarity: Math.log(1 + (servers.size - byServer.size + 0.5) / (byServer.size + 0.5)),
      servers: Int32Array.from(byServer.keys(), ({ number }) => number),
      impacts: Float64Array.from(byServer, ([{ length }, frequency]) => {
        const room = saturation * (1 - lengthDiscount + lengthDiscount * (length / usualLength));
        return (frequency * (saturation + 1)) / (frequency + room);
      }),
    };
    postings.set(id, posting);
    return posting;
  }

  return {
    add(document, termId) {
      const { server: name = '', serverText: text = '' } = document;
      const server = servers.get(name) ?? open(name);
      if (server.tools === 0) change(server, toIds(termId, weighServer(name, text)), 1);
      else if (server.text !== text) {
        change(server, toIds(termId, weighServer(name, server.text)), -1);
        change(server, toIds(termId, weighServer(name, text)), 1);
      }
      server.text = text;
      server.tools++;
      change(server, toIds(termId, weighForServer(document)), 1);
      postings.clear();
      return server.number;
    },
    remove(document, termId) {
      const { server: name = '' } = document;
      const server = servers.get(name);
      if (!server) return;
      change(server, toIds(termId, weighForServer(document)), -1);
      postings.clear();
      if (--server.tools > 0) return;
      change(server, toIds(termId, weighServer(name, server.text)), -1);
      servers.delete(name);
      freeNumbers.push(server.number);
    },
    find: (name) => servers.get(name)?.number,
    has: (term) => frequencies.has(term),
    score(weights) {
      scores.fill(0);
      for (const [id, weight] of weights) {
        const byServer = frequencies.get(id);
        if (!byServer) continue;
        const { rarity, servers: found, impacts } = readPosting(id, byServer);
        const factor = weight * rarity;
        for (let at = 0; at < found.length; at++) {
          const number = found[at] as number;
          scores[number] = (scores[number] as number) + factor * (impacts[at] as number);
        }
      }
      return scores;
    },
  };
}

function toIds(termId: (term: string) => number, words: ReadonlyMap<string, number>): (readonly [number, number])[] {
  return [...words].map(([term, frequency]) => [termId(term), frequency]);
}
