/** Random choices that are the same for the same seed. */
export interface Random {
  /** From 0 up to, not including, 1. */
  next(): number;
  pick<Item>(items: readonly Item[]): Item;
  between(from: number, to: number): number;
  /** An independent sequence, so that concurrent users do not change each other's choices. */
  fork(): Random;
}

/** The generator mulberry32. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }
  return {
    next,
    pick: <Item>(items: readonly Item[]) => items[Math.floor(next() * items.length)] as Item,
    between: (from, to) => from + next() * (to - from),
    fork: () => createRandom(Math.floor(next() * 4_294_967_296)),
  };
}
