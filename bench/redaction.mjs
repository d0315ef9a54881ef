// Measures the detectors of redaction: recall on made-up values, alarms in texts of other people, and cost.
//   npm run bench:redaction
import { globSync, readFileSync } from 'node:fs';
import { idCountries } from '../packages/contract/settings/choices.ts';
import { detect } from '../packages/toolwharf/features/redaction/detect.ts';
import { personalDataRules } from '../packages/toolwharf/features/redaction/detect-personal-data.ts';
import { secretRules } from '../packages/toolwharf/features/redaction/detect-secrets.ts';
import { harmlessTexts, secretSamples } from '../test/fixtures/redaction/secret-samples.ts';

const rules = [...secretRules, ...personalDataRules(idCountries)];

function detectAll(text, used = rules) {
  const steps = detect(text, used);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

const seeds = Array.from({ length: 100 }, (_, seed) => `bench ${seed}`);
const samples = seeds.flatMap((seed) => secretSamples(seed));
const missed = samples.filter(({ text, secret }) => {
  const left = detectAll(text, secretRules).reduceRight(
    (shown, { start, end }) => shown.slice(0, start) + shown.slice(end),
    text,
  );
  return left.includes(secret);
});
const percent = ((100 * (samples.length - missed.length)) / samples.length).toFixed(1);
console.log(
  `secrets: ${percent} % of ${samples.length} made-up ones of ${samples.length / seeds.length} kinds are found`,
);
console.log(
  `secrets: ${harmlessTexts.filter((text) => detectAll(text, secretRules).length > 0).length} of ${harmlessTexts.length} harmless texts alarm`,
);

// Documentation of packages: texts of other people that are full of examples of keys, addresses and numbers.
const files = globSync('node_modules/**/*.{md,json,js,mjs}', { exclude: ['**/toolwharf*/**'] }).filter((file) =>
  /README|CHANGELOG|package\.json$|index\.m?js$/i.test(file),
);
let bytes = 0;
let ms = 0;
const alarms = new Map();
const examples = new Map();
for (const file of files) {
  const text = readFileSync(file, 'utf8');
  const since = process.cpuUsage();
  const found = detectAll(text);
  const { user, system } = process.cpuUsage(since);
  ms += (user + system) / 1_000;
  bytes += text.length;
  for (const { class: kind, rule, start, end } of found) {
    alarms.set(kind, (alarms.get(kind) ?? 0) + 1);
    const list = examples.get(rule) ?? [];
    examples.set(rule, [
      ...list,
      `${text.slice(Math.max(0, start - 20), start)}«${text.slice(start, end).slice(0, 60)}»`.replaceAll(/\s+/g, ' '),
    ]);
  }
}
console.log(
  `${files.length} files of packages, ${(bytes / 1e6).toFixed(1)} MB: ${[...alarms].map(([kind, count]) => `${kind} ${count}`).join(', ')}`,
);
if (process.argv.includes('--examples'))
  for (const [rule, list] of examples) console.log(rule, list.length, list.slice(0, 6));
console.log(`cost: ${((1_000 * ms) / (bytes / 1024)).toFixed(1)} µs per KB`);
