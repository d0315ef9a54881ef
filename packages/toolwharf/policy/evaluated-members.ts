import { isObject } from '../../contract/json.ts';
import { type Definitions, type SafeSchema, test } from './validator.ts';
import type { WorkBudget } from './work-budget.ts';

/** The properties and items of a value that a schema evaluates, as `unevaluatedProperties` and `unevaluatedItems` need them. */
export interface EvaluatedMembers {
  readonly keys: Set<string>;
  readonly indexes: Set<number>;
}

/** Adds the members that a subschema evaluates of a value which is valid against that subschema. */
export type Evaluation = (value: unknown, evaluated: EvaluatedMembers) => void;

/** Creates the evaluations of a translated schema. JSON Schema calls them annotations. */
export interface Evaluations {
  keys(isEvaluated: (key: string) => boolean): Evaluation;
  indexes(isEvaluated: (index: number, item: unknown) => boolean): Evaluation;
  /** The evaluation of a subschema that applies to the same value, if the condition holds. */
  applied(schema: SafeSchema, condition?: (value: unknown) => boolean): Evaluation;
  isValid(schema: SafeSchema, value: unknown): boolean;
  /** Stores the evaluation of a definition. */
  define(name: string, evaluations: readonly Evaluation[]): void;
  evaluate(evaluations: readonly Evaluation[], value: unknown): EvaluatedMembers;
}

export function createEvaluations(definitions: Definitions, budget: WorkBudget): Evaluations {
  const byName = new Map<string, readonly Evaluation[]>();

  function isValid(schema: SafeSchema, value: unknown): boolean {
    return typeof schema === 'boolean' ? schema : test(definitions, String(schema.$ref), value);
  }

  return {
    keys: (isEvaluated) => (value, evaluated) => {
      if (!isObject(value)) return;
      const keys = Object.keys(value);
      budget.spend(keys.length);
      for (const key of keys) if (isEvaluated(key)) evaluated.keys.add(key);
    },
    indexes: (isEvaluated) => (value, evaluated) => {
      if (!Array.isArray(value)) return;
      budget.spend(value.length);
      for (const [index, item] of value.entries()) if (isEvaluated(index, item)) evaluated.indexes.add(index);
    },
    applied: (schema, condition) => (value, evaluated) => {
      if (typeof schema === 'boolean') return;
      budget.spend(1);
      if (condition && !condition(value)) return;
      for (const evaluation of byName.get(String(schema.$ref)) ?? []) evaluation(value, evaluated);
    },
    isValid,
    define: (name, evaluations) => void byName.set(name, evaluations),
    evaluate(evaluations, value) {
      const evaluated: EvaluatedMembers = { keys: new Set(), indexes: new Set() };
      for (const evaluation of evaluations) evaluation(value, evaluated);
      return evaluated;
    },
  };
}
