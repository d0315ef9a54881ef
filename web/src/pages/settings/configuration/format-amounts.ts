const units = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1_000, 'second'],
] as const;

/** A duration in the largest unit that is exact: "90 days", "1.5 seconds". */
export function formatSpan(ms: number): string {
  const [size, unit] = units.find(([size]) => ms >= size && ms % size === 0) ?? (ms >= 1_000 ? units[3] : [1, 'ms']);
  const amount = ms / size;
  const text = amount.toLocaleString('en', { maximumFractionDigits: 3 });
  return unit === 'ms' || amount === 1 ? `${text} ${unit}` : `${text} ${unit}s`;
}

/** "256 KiB", "1.5 MiB". */
export function formatBytes(bytes: number): string {
  const power = bytes < 1_024 ? 0 : bytes < 1_024 ** 2 ? 1 : 2;
  const text = (bytes / 1_024 ** power).toLocaleString('en', { maximumFractionDigits: 1 });
  return `${text} ${['bytes', 'KiB', 'MiB'][power]}`;
}
