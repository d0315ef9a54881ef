import uPlot from 'uplot';

export interface PlotSeries {
  readonly label: string;
  /** The name of a colour of the theme: `--accent`. */
  readonly colour: string;
  readonly shape: 'bars' | 'line';
}

export interface PlotParts {
  readonly width: number;
  /** In the order in which they are drawn. */
  readonly series: readonly PlotSeries[];
  /** Days under the plot instead of hours. */
  readonly showsDays: boolean;
  readonly bounds: () => readonly [from: number, to: number];
  readonly format: (value: number) => string;
  /** Which part of the time is pointed at. */
  readonly onHover: (index: number | undefined) => void;
}

export const plotHeight = 170;

const hours = new Intl.DateTimeFormat([], { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const days = new Intl.DateTimeFormat([], { weekday: 'short', day: 'numeric' });

/** How the library is to draw it, in the colours that the page has now. */
export function createPlotOptions({ width, series, showsDays, bounds, format, onHover }: PlotParts): uPlot.Options {
  const style = getComputedStyle(document.documentElement);
  const colourOf = (name: string) => style.getPropertyValue(name).trim();
  const axis: uPlot.Axis = {
    stroke: colourOf('--ink-faint'),
    font: `11px ${getComputedStyle(document.body).fontFamily}`,
    grid: { stroke: colourOf('--line'), width: 1 },
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
        // Halves of a call or of a millisecond mean nothing.
        incrs: [1, 2, 5]
          .flatMap((one) => Array.from({ length: 9 }, (_, power) => one * 10 ** power))
          .sort((a, b) => a - b),
        values: (_plot, splits) => splits.map((value) => format(value)),
      },
    ],
    series: [{}, ...series.map((one) => toSeries(one, colourOf(one.colour)))],
    hooks: { setCursor: [({ cursor }) => onHover(cursor.idx ?? undefined)] },
  };
}

function toSeries({ shape, label }: PlotSeries, colour: string): uPlot.Series {
  if (shape === 'line')
    return { label, stroke: colour, width: 1.5, spanGaps: true, points: { show: true, size: 4, fill: colour } };
  const paths = uPlot.paths.bars?.({ size: [0.85, 40], align: 1 });
  return { label, stroke: colour, fill: colour, width: 0, points: { show: false }, ...(paths && { paths }) };
}
