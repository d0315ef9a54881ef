/**
 * How well a text matches the typed text; 0 for no match. A beginning scores higher than a part, and a part higher than the
 * letters in order, so that "strpe" finds "stripe".
 */
export function fuzzyScore(text: string, typed: string): number {
  const sought = typed.trim().toLowerCase();
  if (sought === '') return 1;
  const words = sought.split(/\s+/);
  const scores = words.map((word) => scoreWord(text.toLowerCase(), word));
  return scores.includes(0) ? 0 : scores.reduce((sum, score) => sum + score, 0) / words.length;
}

function scoreWord(text: string, word: string): number {
  const at = text.indexOf(word);
  if (at === 0) return 100 - Math.min(20, text.length - word.length);
  if (at > 0) return /[\s_\-./:]/.test(text[at - 1] ?? '') ? 70 : 50;
  if (word.length < 3) return 0;
  let from = 0;
  let first = -1;
  for (const letter of word) {
    const found = text.indexOf(letter, from);
    if (found < 0) return 0;
    if (first < 0) first = found;
    from = found + 1;
  }
  // Letters that are far apart are a coincidence.
  const spread = from - first - word.length;
  return spread > word.length ? 0 : 30 - spread;
}
