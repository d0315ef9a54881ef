import { RE2JS } from 're2js';

/** Thrown by `spend` when a check exceeds its budget. */
export class WorkExceeded extends Error {
  override readonly name = 'WorkExceeded';
}

/** The remaining budget of a check. One unit is about the cost of comparing one value with one small schema. */
export interface WorkBudget {
  spend(units: number): void;
  /** Runs with a budget; the rest is discarded. */
  within<Value>(units: number, run: () => Value): Value;
  /** Runs code whose units take more time and cost more accordingly. */
  slowly<Value>(run: () => Value): Value;
}

/** How many times slower interpreting a schema is than running its compiled code. */
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
 * An untrusted regular expression on RE2: it runs in linear time and is charged to the budget. It extends `RegExp` because
 * the validator accepts nothing else.
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

  /** Undefined for what RE2 does not support: lookaround, backreferences, and invalid expressions. */
  static from(text: string, budget: WorkBudget): SafePattern | undefined {
    try {
      return new SafePattern(text, RE2JS.compile(RE2JS.translateRegExp(text)), budget);
    } catch {
      return undefined;
    }
  }

  /** The number of instructions of the compiled expression. */
  get size(): number {
    return this.#engine.programSize();
  }

  override test(text: string): boolean {
    this.#budget.spend(1 + (text.length * this.size) / 64);
    return this.#engine.test(text);
  }
}
