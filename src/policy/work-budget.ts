import { RE2JS } from 're2js';

/** Thrown by `spend` when a check would take more work than it may. */
export class WorkExceeded extends Error {
  override readonly name = 'WorkExceeded';
}

/** How much a check may still cost. One unit is about what comparing one value with one small schema takes. */
export interface WorkBudget {
  spend(units: number): void;
  /** Runs with this much; what is left over is lost. */
  within<Value>(units: number, run: () => Value): Value;
  /** Runs where each unit costs more time, and counts it accordingly. */
  slowly<Value>(run: () => Value): Value;
}

/** Walking a schema instead of running code that was made from it takes about this many times as long. */
const slowFactor = 16;

export function createWorkBudget(): WorkBudget {
  let left = 0;
  let factor = 1;
  return {
    spend(units) {
      left -= units * factor;
      if (left < 0) throw new WorkExceeded('the check takes too much work');
    },
    within(units, run) {
      left = units;
      factor = 1;
      return run();
    },
    slowly(run) {
      const before = factor;
      factor = slowFactor;
      try {
        return run();
      } finally {
        factor = before;
      }
    },
  };
}

/**
 * A regular expression from a stranger: runs on RE2, so in time proportional to the text, and pays for it. It is a `RegExp` only
 * because that is the one thing a validator takes in its place.
 */
export class SafePattern extends RegExp {
  readonly text: string;
  readonly #engine: RE2JS;
  readonly #budget: WorkBudget;

  private constructor(text: string, engine: RE2JS, budget: WorkBudget) {
    super('');
    this.text = text;
    this.#engine = engine;
    this.#budget = budget;
  }

  /** Undefined for what RE2 does not run: looking ahead or behind, references back, and what is no regular expression. */
  static from(text: string, budget: WorkBudget): SafePattern | undefined {
    try {
      return new SafePattern(text, RE2JS.compile(RE2JS.translateRegExp(text)), budget);
    } catch {
      return undefined;
    }
  }

  /** The number of instructions it was compiled to. */
  get size(): number {
    return this.#engine.programSize();
  }

  override test(text: string): boolean {
    this.#budget.spend(1 + (text.length * this.size) / 64);
    return this.#engine.test(text);
  }
}
