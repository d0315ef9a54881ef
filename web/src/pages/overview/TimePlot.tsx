import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { createPlotOptions, type PlotSeries, plotHeight } from './plot-options.ts';

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
