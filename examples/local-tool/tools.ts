import { localTool } from 'toolwharf';
import { z } from 'zod';

const rates = { EUR: 1, USD: 1.08, CHF: 0.94 } as const;
const currency = z.enum(['EUR', 'USD', 'CHF']);

export const convert = localTool({
  name: 'convert_money',
  description: 'Converts an amount of money between currencies',
  parameters: z.object({ amount: z.number().positive(), from: currency, to: currency.default('EUR') }),
  annotations: { readOnlyHint: true },
  execute: ({ amount, from, to }) => `${((amount / rates[from]) * rates[to]).toFixed(2)} ${to}`,
});

export const slowSum = localTool({
  name: 'slow_sum',
  description: 'Adds numbers one by one, and reports its progress',
  parameters: z.object({ numbers: z.array(z.number()).max(100) }),
  timeoutMs: 60_000,
  maxInstances: 2,
  async execute({ numbers }, { signal, onProgress }) {
    let sum = 0;
    for (const [index, number] of numbers.entries()) {
      signal.throwIfAborted();
      sum += number;
      onProgress?.({ progress: index + 1, total: numbers.length });
    }
    return { sum };
  },
});
