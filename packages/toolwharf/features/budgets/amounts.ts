import { parseDecimal } from '../../kernel/decimal.ts';

/** Amounts have six decimals, and are integers of 64 bits: millionths. */
const decimals = 6;
const one = 10n ** BigInt(decimals);
const maxAmount = 2n ** 63n - 1n;

/**
 * A number as millionths. A double has at most 15 digits, so that 0.1 + 0.2 is 0.3, and what is smaller than a millionth counts as one.
 * Undefined for what is no number of 0 or more, or does not fit.
 */
export function toAmount(value: unknown): bigint | undefined {
  const text = typeof value === 'number' && Number.isFinite(value) ? `${Number(value.toPrecision(15))}` : undefined;
  const decimal = typeof value === 'bigint' ? { digits: value, exponent: 0 } : text && parseDecimal(text);
  if (!decimal || decimal.digits < 0n) return undefined;
  const shift = decimal.exponent + decimals;
  const amount = shift >= 0 ? decimal.digits * 10n ** BigInt(shift) : roundUp(decimal.digits, 10n ** BigInt(-shift));
  return amount <= maxAmount ? amount : undefined;
}

function roundUp(value: bigint, divisor: bigint): bigint {
  return (value + divisor - 1n) / divisor;
}

/** The number that an amount stands for. */
export function fromAmount(amount: bigint): number {
  const [whole, rest] = [amount / one, amount % one];
  return Number(`${whole}.${rest.toString().padStart(decimals, '0')}`);
}
