import { readdirSync } from 'node:fs';
import { descendantsOf } from '../../support/processes.ts';
import type { GatewayProcess } from './gateway-process.ts';
import { memoryOf } from './memory.ts';

/** What a gateway's process takes up at one moment. */
export interface Sample {
  /** What it really uses. */
  readonly liveMb: number;
  /** What it has from the system, which it gives back late or never. */
  readonly memoryMb: number;
  /** Open files, pipes and sockets. */
  readonly handles: number;
  /** The process itself not counted. */
  readonly processes: number;
}

export async function takeSample(gateway: GatewayProcess): Promise<Sample> {
  const liveMb = (await gateway.bytesInUse()) / 1_000_000;
  const { pid } = gateway;
  return {
    liveMb,
    memoryMb: memoryOf(pid) / 1_000_000,
    handles: readdirSync(`/proc/${pid}/fd`).length,
    processes: descendantsOf(pid).length,
  };
}

export interface Growth {
  readonly what: keyof Sample;
  /** Medians of the first and the last quarter of the samples. */
  readonly first: number;
  readonly last: number;
  /** The most the last may be. */
  readonly most: number;
  readonly ok: boolean;
}

/** What counts as noise: a sample may meet a storm, or a server that is just being replaced. */
const noise: Readonly<Record<keyof Sample, (first: number) => number>> = {
  liveMb: (first) => first * 1.1 + 5,
  memoryMb: (first) => first * 1.5 + 50,
  handles: (first) => first + 20,
  processes: (first) => first + 2,
};

/** The samples of the process that lived longest: what grows shows in one process, and best in that one. */
export function longestOf(lives: readonly (readonly Sample[])[]): readonly Sample[] {
  return lives.reduce((longest, life) => (life.length > longest.length ? life : longest), []);
}

/** Compares the first quarter of the samples with the last. */
export function growthOf(samples: readonly Sample[]): readonly Growth[] {
  const quarter = Math.ceil(samples.length / 4);
  return (Object.keys(noise) as (keyof Sample)[]).map((what) => {
    const first = medianOf(samples.slice(0, quarter).map((sample) => sample[what]));
    const last = medianOf(samples.slice(-quarter).map((sample) => sample[what]));
    const most = noise[what](first);
    return { what, first, last, most, ok: last <= most };
  });
}

function medianOf(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
