import { ToolwharfError } from '../../contract/errors.ts';
import { isRawNumber } from '../kernel/exact-json.ts';
import { cheapMs, costMsOf, explainTooWide, isTooWide } from '../kernel/json-work.ts';
import { createJsonScale } from '../kernel/weigh-json.ts';

/** Limits the arguments that are larger than the request that carried them: those of references and of converted texts. */
export interface ArgumentLimits {
  /** The members that all objects may have. Arrays may have ten times as many elements. */
  readonly maxMembers: () => number;
  /** Resolves when a caller's expensive arguments may be processed. */
  readonly takeTurn: (caller: string, costMs: number) => Promise<void>;
}

/** Counts what references and texts stand for, before it is parsed or copied. The methods throw `REQUEST_TOO_LARGE`. */
export interface ArgumentBudget {
  addText(text: string): void;
  addValue(value: unknown, bytes: number): void;
  /** Waits for the caller's turn; undefined if the arguments are cheap. */
  takeTurn(caller: string): Promise<void> | undefined;
}

export function createArgumentBudget({ maxMembers, takeTurn }: ArgumentLimits): ArgumentBudget {
  const limit = maxMembers();
  let members = 0;
  let values = 0;
  let bytes = 0;

  function assertWithin(): void {
    if (isTooWide({ members, values }, limit))
      throw new ToolwharfError('REQUEST_TOO_LARGE', explainTooWide('The arguments have', limit));
  }

  function count(value: unknown): void {
    if (typeof value !== 'object' || value === null || isRawNumber(value)) return;
    const parts = Object.values(value);
    values += 1 + parts.length;
    if (!Array.isArray(value)) members += parts.length;
    assertWithin();
    for (const part of parts) count(part);
  }

  return {
    addText(text) {
      // Only arrays and objects have members.
      if (!/^\s*[[{]/u.test(text)) return;
      const scale = createJsonScale();
      scale.add(Buffer.from(text));
      members += scale.members;
      values += scale.values;
      bytes += text.length;
      assertWithin();
    },
    addValue(value, size) {
      bytes += size;
      count(value);
    },
    takeTurn(caller) {
      const costMs = costMsOf({ members, values, bytes });
      return costMs < cheapMs ? undefined : takeTurn(caller, costMs);
    },
  };
}
