/** A condition that cannot be compiled. The message begins with the line and column. */
export class ConditionError extends Error {
  override readonly name = 'ConditionError';
  readonly line: number;
  readonly column: number;
  /** The message without the line and column. */
  readonly reason: string;
  /** The position in the condition, counted in characters from 0. */
  readonly at: number;

  constructor(message: string, text: string, at: number) {
    const before = text.slice(0, at).split('\n');
    const line = before.length;
    const column = (before.at(-1) ?? '').length + 1;
    super(`line ${line}, column ${column}: ${message}`);
    this.reason = message;
    this.at = at;
    this.line = line;
    this.column = column;
  }
}

/** A condition that has no value for a call: a missing member, a wrong type, an overflow. `||` and `&&` may ignore it. */
export class EvaluationError extends Error {
  override readonly name = 'EvaluationError';
}

/** A condition that takes more work than its budget. Nothing in a condition can ignore it. */
export class WorkLimitError extends Error {
  override readonly name = 'WorkLimitError';
}
