import { readdirSync } from 'node:fs';
import { descendantsOf } from '../../support/processes.ts';
import type { GatewayProcess } from './gateway-process.ts';
import { memoryOf } from './memory.ts';

/** The resources of a gateway process at one moment. */
export interface Sample {
  /** Bytes in use after garbage collection. */
  readonly liveMb: number;
  /** Resident memory, which may exceed the bytes in use. */
  readonly memoryMb: number;
  /** The number of open files, pipes and sockets. */
  readonly handles: number;
  /** The number of child processes. */
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
  /** The maximum allowed value of `last`. */
  readonly most: number;
  readonly ok: boolean;
}

/** The tolerated noise: a sample may coincide with a storm or a server replacement. */
const noise: Readonly<Record<keyof Sample, (first: number) => number>> = {
  liveMb: (first) => first * 1.1 + 5,
  memoryMb: (first) => first * 1.5 + 50,
  handles: (first) => first + 20,
  processes: (first) => first + 2,
};

/** The samples of the process that lived longest, where growth shows best. */
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
