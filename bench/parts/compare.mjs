/** Reports every ratio that got worse by more than its noise; returns the exit code. */
export function compare(before, now) {
  if (!before) {
    console.error('There is nothing to compare with: run `npm run bench -- --record` first.');
    return 1;
  }
  const known = new Map(before.rows.map((row) => [row.what, row]));
  const worse = now.rows.flatMap((row) => {
    const old = known.get(row.what);
    if (!old || old.ratio === 1) return [];
    // At least 10 %, because a shared machine varies that much from hour to hour.
    const allowed = old.ratio * (1 + Math.max(0.1, 2 * (row.noise + old.noise)));
    return row.ratio > allowed ? [{ ...row, old, allowed }] : [];
  });
  for (const { what, ratio, old, allowed } of worse) {
    const figures = [ratio, old.ratio, allowed].map((value) => value.toPrecision(3));
    console.error(`Worse: ${what}: ${figures[0]}, was ${figures[1]} (${old.commit}); up to ${figures[2]} is noise.`);
  }
  if (worse.length === 0) console.error('No ratio is worse than the recorded one.');
  return worse.length === 0 ? 0 : 1;
}
