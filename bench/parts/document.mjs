// Writes measured figures into docs/guide/performance.md: one block for each section that has a table there.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const page = fileURLToPath(new URL('../../docs/guide/performance.md', import.meta.url));
const counts = [1, 16, 64];

/** Replaces the blocks of the measured sections; the others stay as they were. */
export function updateDocument(results) {
  const sections = Map.groupBy(results.rows, ({ section }) => section);
  const text = readFileSync(page, 'utf8');
  writeFileSync(page, insertFigures(text, sections, describeRun(results)));
}

/** The text with the tables of these sections. */
function insertFigures(text, sections, run) {
  return text.replace(
    /(<!-- measured: (\w+) -->\n)[\s\S]*?(<!-- end of what is measured -->)/g,
    (whole, begin, name, end) => {
      const rows = sections.get(name);
      return rows ? `${begin}\n${run}\n\n${tables[name](rows)}\n\n${end}` : whole;
    },
  );
}

const tables = { upstreams, against, cold, library, steady, scale };

function describeRun({ at, commit, machine, node, quick, loadBefore, loadAfter }) {
  const load = `load average ${round(loadBefore)} before and ${round(loadAfter)} after`;
  return `Measured on ${at.slice(0, 10)}, commit ${commit}; ${machine}; Node ${node}; ${load}${quick ? '; `--quick`' : ''}.`;
}

function upstreams(rows) {
  const byServer = Map.groupBy(rows, ({ what }) => what.replace(/, \d+ clients?(:.*)?$/, ''));
  const lines = [...byServer].map(([name, found]) => {
    const each = (figure) => found.map(figure).map(round).join(' / ');
    const direct = found.some(({ figures }) => figures.ofDirect !== undefined);
    return [
      name,
      `${each(({ figures }) => figures.cpuMsPerCall)} ms`,
      each(({ ratio }) => ratio),
      `${Math.round(Math.max(...found.map(({ noise }) => noise)) * 100)} %`,
      direct ? each(({ figures }) => figures.ofDirect) : '',
    ];
  });
  const clients = counts.join(' / ');
  return table(
    [
      'server',
      `processor time of the gateway per call, ${clients} clients`,
      "to the raw server's",
      'noise',
      'of direct',
    ],
    lines,
  );
}

function against(rows) {
  const lines = rows.map(({ what, ratio, noise, figures }) => [
    what.replace(/: our processor time to theirs$/, ''),
    `${round(figures.oursCpuMs)} and ${round(figures.theirsCpuMs)} ms`,
    `${round(ratio)} ± ${Math.round(noise * 100)} %`,
    `${round(figures.oursPerSecond)} and ${round(figures.theirsPerSecond)}`,
    `${Math.round(figures.oursRssMb)} and ${Math.round(figures.theirsRssMb)} MB`,
  ]);
  return table(['gateway, server', 'processor time of a call', 'ours to theirs', 'calls per second', 'memory'], lines);
}

function cold(rows) {
  const starts = rows.filter(({ figures }) => 'serverMs' in figures);
  const calls = rows.filter(({ figures }) => 'warm' in figures);
  const first = table(
    ['first calls', 'processor time per call', 'to warm calls'],
    calls.map(({ what, ratio, figures }) => [
      what.replace(' to warm ones', ''),
      `${round(figures.cpuMsPerCall)} ms`,
      round(ratio),
    ]),
  );
  const start = table(
    ['start', 'time', 'processor time of the gateway', 'the server alone', 'to the server alone'],
    starts.map(({ what, ratio, noise, figures: { oursMs, cpuMs, serverMs } }) => [
      what.replace(', to the server alone', ''),
      `${round(oursMs)} ms`,
      `${round(cpuMs)} ms`,
      `${round(serverMs)} ms`,
      `${round(ratio)} ± ${Math.round(noise * 100)} %`,
    ]),
  );
  return `${first}\n\n${start}`;
}

function library(rows) {
  const lines = rows.map(({ what, ratio, noise, figures: { oursCpuMs, oursRssMb, theirsCpuMs, theirsRssMb } }) => [
    what.replace(/: start and first call.*$/, ''),
    `${round(oursCpuMs)} ms, ${Math.round(oursRssMb)} MB`,
    ...(theirsCpuMs === undefined
      ? ['', '']
      : [`${round(theirsCpuMs)} ms, ${Math.round(theirsRssMb)} MB`, `${round(ratio)} ± ${Math.round(noise * 100)} %`]),
  ]);
  return table(['server', 'Toolwharf', '`@ai-sdk/mcp`', 'processor time, ours to theirs'], lines);
}

function steady(rows) {
  const lines = rows.map(({ what, ratio, figures: { maxRssMb, callsPerSecond, cpuMsPerCall, minutes } }) => [
    what,
    round(ratio),
    `${Math.round(maxRssMb)} MB`,
    `${round(callsPerSecond)}${minutes === undefined ? '' : ` for ${round(minutes)} minutes`}`,
    `${round(cpuMsPerCall)} ms`,
  ]);
  return table(['load', 'ratio', 'most memory', 'calls per second reached', 'processor time of a call'], lines);
}

function scale(rows) {
  const lines = rows.map(({ what, figures: { ms, readyMs, longestTurnMs, longestGcMs, longestPauseMs, rssMb } }) => [
    what.replace(/: processor time.*$/, ''),
    `${round(ms / 1_000)} s${readyMs === undefined ? '' : `, ready after ${round(readyMs / 1_000)} s`}`,
    `${Math.round(longestTurnMs)} ms`,
    `${Math.round(longestGcMs)} ms`,
    `${Math.round(longestPauseMs)} ms`,
    `${Math.round(rssMb)} MB`,
  ]);
  const delay = 'longest delay of the event loop';
  return table(['what', 'time', 'longest turn, processor time', 'longest collection', delay, 'memory'], lines);
}

function table(head, lines) {
  const rows = [head, ...lines].map((cells) => `| ${cells.join(' | ')} |`);
  return [rows[0], `|${'---|'.repeat(head.length)}`, ...rows.slice(1)].join('\n');
}

function round(value) {
  return value === undefined ? '' : Number(value.toPrecision(2)).toLocaleString('en').replaceAll(',', ' ');
}
