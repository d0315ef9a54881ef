// Measures the detectors of redaction: recall on made-up values, alarms in texts of other people, and cost.
//   npm run bench:redaction
//   npm run bench:redaction -- --people FOLDER   also recall on the people and sentences of the Python package presidio-evaluator
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
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
const people = process.argv[process.argv.indexOf('--people') + 1];
if (process.argv.includes('--people')) measurePeople(people);
if (process.argv.includes('--examples'))
  for (const [rule, list] of examples) console.log(rule, list.length, list.slice(0, 6));
console.log(`cost: ${((1_000 * ms) / (bytes / 1024)).toFixed(1)} µs per KB`);

/** Recall on made-up people of others: their values in sentences of others. */
function measurePeople(folder) {
  const read = (name) => readFileSync(join(folder, name), 'utf8').replace(/^\ufeff/, '');
  const [names, ...rows] = parseCsv(read('FakeNameGenerator.com_3000.csv'));
  const all = rows.map((row) => Object.fromEntries(names.map((name, at) => [name, row[at]])));
  const sentences = read('templates.txt')
    .split('\n')
    .filter(Boolean)
    .map((line) => line.replaceAll('\\n', '\n'));
  const counts = new Map();
  const count = (name, kind, text, value) => {
    const isFound = detectAll(text).some(
      (one) => one.class === kind && text.slice(one.start, one.end).includes(value.slice(-6)),
    );
    const { found, total } = counts.get(name) ?? { found: 0, total: 0 };
    counts.set(name, { found: found + (isFound ? 1 : 0), total: total + 1 });
  };
  const sentenceWith = (slot, value, at) => {
    const fitting = sentences.filter((sentence) => sentence.includes(`{{${slot}}}`));
    return fitting[at % fitting.length].replaceAll(`{{${slot}}}`, value).replaceAll(/\{\{\w+\}\}/g, 'Ada');
  };
  for (const [at, person] of all.entries()) {
    const { EmailAddress: email, TelephoneNumber: phone, TelephoneCountryCode: code, NationalID: id, Country } = person;
    count('email', 'email', sentenceWith('email', email, at), email);
    count('phone without country code', 'phone', sentenceWith('phone_number', phone, at), phone);
    count('phone with country code', 'phone', sentenceWith('phone_number', `+${code} ${phone}`, at), phone);
    if (id && idCountries.includes(Country))
      count(`national-id ${Country}`, 'national-id', `my number is ${id} today`, id);
  }
  for (const [name, { found, total }] of counts)
    console.log(`people: ${name}: ${found} of ${total} (${((100 * found) / total).toFixed(1)} %)`);
  const isPersonal = /\{\{(email|phone_number|credit_card_number|iban|ssn|ip_address|url|us_driver_license)\}\}/;
  const harmless = all.flatMap((person, at) => {
    const sentence = sentences[at % sentences.length];
    const values = {
      person: person.Surname,
      address: `${person.StreetAddress}, ${person.City} ${person.ZipCode}`,
      zipcode: person.ZipCode,
    };
    const known = {
      ...values,
      date_time: person.Birthday,
      date_of_birth: person.Birthday,
      organization: person.Company,
    };
    return isPersonal.test(sentence)
      ? []
      : [sentence.replaceAll(/\{\{(\w+)\}\}/g, (_, slot) => known[slot] ?? person.City)];
  });
  const wrong = harmless.filter((text) => detectAll(text).length > 0);
  console.log(`people: ${wrong.length} of ${harmless.length} sentences without such values alarm`);
}

/** The rows of a CSV file. */
function parseCsv(text) {
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/y;
  const rows = [];
  let row = [];
  for (let match = field.exec(text); match && match.index < text.length; match = field.exec(text)) {
    row.push(match[1]?.replaceAll('""', '"') ?? match[2]);
    if (match[3] === ',') continue;
    rows.push(row);
    row = [];
  }
  return rows;
}
