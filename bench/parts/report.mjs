import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const history = here('../results.md');
const latest = here('../results.json');

export function printTable(title, rows) {
  console.log(`\n${tableOf(title, rows)}`);
}

/** Writes the measurements to a file, and with `record` to the history that `--check` compares with. */
export function keep(results, { record, json }) {
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(results, null, 2)}\n`);
  if (!record) return;
  const { at, commit, node, machine, quick, rows } = results;
  const sections = Map.groupBy(rows, ({ section }) => section);
  // Sections that were not measured keep their figures, and every row says from which commit it is.
  const earlier = (readRecorded()?.rows ?? []).filter(({ section }) => !sections.has(section));
  const measured = rows.map((row) => ({ ...row, at, commit }));
  writeFileSync(latest, `${JSON.stringify({ ...results, rows: [...earlier, ...measured] }, null, 2)}\n`);
  const head = `\n## ${at.slice(0, 10)}, ${commit}\n\n${machine}; Node ${node}${quick ? '; --quick' : ''}.\n`;
  if (!existsSync(history)) writeFileSync(history, '# Results of the bench\n');
  appendFileSync(history, `${head}${[...sections].map(([name, found]) => `\n${tableOf(name, found)}\n`).join('')}`);
}

export function readRecorded() {
  return existsSync(latest) ? JSON.parse(readFileSync(latest, 'utf8')) : undefined;
}

function tableOf(title, rows) {
  const lines = rows.map(({ what, ratio, noise, budget, figures }) => {
    const told = Object.entries(figures).flatMap(([name, value]) =>
      value === undefined ? [] : `${name} ${round(value)}`,
    );
    return `| ${what} | ${round(ratio)} | ±${Math.round(noise * 100)} % | ${budget ?? ''} | ${told.join(', ')} |`;
  });
  return [`| ${title} | ratio | noise | budget | figures |`, '|---|---|---|---|---|', ...lines].join('\n');
}

function round(value) {
  return Number.isInteger(value) ? value : Number(value.toPrecision(3));
}
