/** The median. */
export function median(values) {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** The interquartile range of repeated measurements, relative to their median. */
function spread(values) {
  if (values.length < 2) return 0;
  const sorted = [...values].sort((one, other) => one - other);
  const at = (share) => sorted[Math.round((sorted.length - 1) * share)];
  return (at(0.75) - at(0.25)) / median(values);
}

/** One result row: a ratio within one run, its figures, and their noise. */
export function row(section, what, ratios, figures, { budget } = {}) {
  return { section, what, ratio: median(ratios), noise: spread(ratios), ...(budget && { budget }), figures };
}
