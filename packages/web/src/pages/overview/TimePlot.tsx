import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

export type { PlotSeries };

type Values = readonly (readonly (number | null)[])[];

export interface TimePlotProps {
  readonly title: string;
  /** The text alternative of the plot. */
  readonly description: string;
  readonly series: readonly PlotSeries[];
  /** Unix times in seconds. */
  readonly starts: readonly number[];
  readonly bounds: readonly [from: number, to: number];
  /** One list per series with one value per start. */
  readonly values: Values;
  readonly isStacked?: boolean;
  readonly showsDays: boolean;
  readonly format: (value: number) => string;
}

/** Values over time. The legend shows the values under the pointer. */
export function TimePlot(props: TimePlotProps) {
  const { title, description, series, starts, bounds, values, isStacked = false, showsDays, format } = props;
  const container = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const [hovered, setHovered] = useState<number>();
  const theme = useSyncExternalStore(watchTheme, () => document.documentElement.dataset.theme);
  const data = useMemo(
    () => [starts, ...(isStacked ? stack(values) : values)] as unknown as uPlot.AlignedData,
    [starts, values, isStacked],
  );
  const latest = useRef({ data, bounds, format });
  latest.current = { data, bounds, format };

  // biome-ignore lint/correctness/useExhaustiveDependencies: the plot reads its colours when it is created
  useEffect(() => {
    const element = container.current;
    if (!element) return undefined;
    const options = createPlotOptions({
      width: element.clientWidth,
      series: isStacked ? series.toReversed() : series,
      showsDays,
      bounds: () => latest.current.bounds,
      format: (value) => latest.current.format(value),
      onHover: setHovered,
    });
    const drawn = new uPlot(options, latest.current.data, element);
    plot.current = drawn;
    const watcher = new ResizeObserver(() => drawn.setSize({ width: element.clientWidth, height: plotHeight }));
    watcher.observe(element);
    return () => {
      watcher.disconnect();
      drawn.destroy();
    };
  }, [series, isStacked, showsDays, theme]);

  useEffect(() => plot.current?.setData(data), [data]);

  const start = hovered === undefined ? undefined : starts[hovered];
  return (
    <figure className="min-w-0">
      <figcaption className="mb-1 flex flex-wrap items-baseline justify-between gap-x-3">
        <span className="font-medium">{title}</span>
        <span aria-hidden className="text-xs text-ink-faint tabular-nums">
          {start !== undefined &&
            new Date(start * 1_000).toLocaleString([], { dateStyle: 'short', timeStyle: 'short' })}
        </span>
      </figcaption>
      <div
        ref={container}
        role="img"
        aria-label={description}
        className="overflow-hidden"
        style={{ height: plotHeight }}
      />
      <ul aria-hidden className="mt-1 flex flex-wrap gap-x-4 text-xs text-ink-soft tabular-nums">
        {series.map(({ label, colour }, index) => (
          <li key={label} className="flex items-center gap-1.5">
            <span className="size-2.5 rounded-xs" style={{ background: `var(${colour})` }} />
            {label}
            {hovered !== undefined && ` ${formatValue(values[index]?.[hovered], format)}`}
          </li>
        ))}
      </ul>
    </figure>
  );
}

function watchTheme(listener: () => void): () => void {
  const observer = new MutationObserver(listener);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
  return () => observer.disconnect();
}

function formatValue(value: number | null | undefined, format: (value: number) => string): string {
  return value === null || value === undefined ? '–' : format(value);
}

/** Running sums of the series, largest first: later bars cover the lower part of earlier ones. */
function stack(values: Values): Values {
  const sums: number[][] = [];
  for (const list of values) {
    const below = sums.at(-1);
    sums.push(list.map((value, at) => (value ?? 0) + (below?.[at] ?? 0)));
  }
  return sums.toReversed();
}

interface PlotSeries {
  readonly label: string;
  /** A CSS variable of the theme, such as `--accent`. */
  readonly colour: string;
  readonly shape: 'bars' | 'line';
}

interface PlotParts {
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

const plotHeight = 170;

const hours = new Intl.DateTimeFormat([], { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const days = new Intl.DateTimeFormat([], { weekday: 'short', day: 'numeric' });

/** The uPlot options of a time plot in the current theme colours. */
function createPlotOptions({ width, series, showsDays, bounds, format, onHover }: PlotParts): uPlot.Options {
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
    // Room for one half of the last time label.
    padding: [8, 22, 0, 0],
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
        // As wide as the longest label, such as "6 min 40 s".
        size: (_plot, labels) => Math.max(60, ...(labels ?? []).map(({ length }) => length * 6.5 + 14)),
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
