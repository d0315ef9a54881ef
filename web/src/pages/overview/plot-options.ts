import uPlot from 'uplot';

export interface PlotSeries {
  readonly label: string;
  /** A CSS variable of the theme, such as `--accent`. */
  readonly colour: string;
  readonly shape: 'bars' | 'line';
}

export interface PlotParts {
  readonly width: number;
  /** In drawing order. */
  readonly series: readonly PlotSeries[];
  /** Label the time axis with days instead of hours. */
  readonly showsDays: boolean;
  readonly bounds: () => readonly [from: number, to: number];
  readonly format: (value: number) => string;
  /** Receives the index under the pointer. */
  readonly onHover: (index: number | undefined) => void;
}

export const plotHeight = 170;

const hours = new Intl.DateTimeFormat([], { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const days = new Intl.DateTimeFormat([], { weekday: 'short', day: 'numeric' });

/** The uPlot options of a time plot in the current theme colours. */
export function createPlotOptions({ width, series, showsDays, bounds, format, onHover }: PlotParts): uPlot.Options {
  const style = getComputedStyle(document.documentElement);
  const readColour = (name: string) => style.getPropertyValue(name).trim();
  const axis: uPlot.Axis = {
    stroke: readColour('--ink-faint'),
    font: `11px ${getComputedStyle(document.body).fontFamily}`,
    grid: { stroke: readColour('--line'), width: 1 },
    ticks: { show: false },
  };
  const label = showsDays ? days : hours;
  return {
    width,
    height: plotHeight,
    padding: [8, 8, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
    scales: {
      x: { range: () => [...bounds()] as uPlot.Range.MinMax },
      y: { range: (_plot, _min, max) => [0, Math.max(1, (max ?? 0) * 1.1)] },
    },
    axes: [
      {
        ...axis,
        size: 28,
        space: 56,
        grid: { show: false },
        values: (_plot, splits) => splits.map((at) => label.format(at * 1_000)),
      },
      {
        ...axis,
        size: 60,
        space: 36,
        // Whole calls and milliseconds only.
        incrs: [1, 2, 5]
          .flatMap((step) => Array.from({ length: 9 }, (_, power) => step * 10 ** power))
          .sort((a, b) => a - b),
        values: (_plot, splits) => splits.map((value) => format(value)),
      },
    ],
    series: [{}, ...series.map((item) => toSeries(item, readColour(item.colour)))],
    hooks: { setCursor: [({ cursor }) => onHover(cursor.idx ?? undefined)] },
  };
}

function toSeries({ shape, label }: PlotSeries, colour: string): uPlot.Series {
  if (shape === 'line')
    return { label, stroke: colour, width: 1.5, spanGaps: true, points: { show: true, size: 4, fill: colour } };
  return {
    label,
    stroke: colour,
    fill: colour,
    width: 0,
    points: { show: false },
    paths: uPlot.paths.bars?.({ size: [0.85, 40], align: 1 }),
  };
}
