import { createInterface } from 'node:readline/promises';
import pc from 'picocolors';
import { shorten } from './layout.ts';

type Colors = ReturnType<typeof pc.createColors>;

/** Where a command writes and whom it asks: results on stdout, everything else on stderr. */
export interface Terminal {
  /** Whether stdout is looked at by a person, who is shown control characters instead of having them run. */
  readonly isPerson: boolean;
  /** Columns for what goes to stdout. */
  readonly width: number;
  /** For stdout. */
  readonly colors: Colors;
  /** For stderr. */
  readonly noteColors: Colors;
  /** Whether there is a person to ask: stdin and stderr are a terminal. */
  readonly canAsk: boolean;
  /** A line, or several, of the result. */
  print(text: string): void;
  /** A line, or several, beside the result. */
  note(text: string): void;
  /** One line on a terminal's stderr that says what is going on, until it is called without a text. */
  status(text?: string): void;
  /** The person's line; undefined when they end the input or the signal aborts. Questions wait for each other. */
  ask(question: string, signal?: AbortSignal): Promise<string | undefined>;
  /** Resolves once everything printed has left the process. */
  flush(): Promise<void>;
}

export interface TerminalStreams {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Told of Ctrl-C while a question stands. */
  readonly onInterrupt: () => void;
}

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const eraseLine = '\r\u001b[2K';

export function createTerminal({ stdin, stdout, stderr, env, onInterrupt }: TerminalStreams): Terminal {
  const isColored = (isTTY = false) => isTTY && !env.NO_COLOR && env.TERM !== 'dumb';
  const columnsOf = (stream: { readonly isTTY?: boolean; readonly columns?: number }) => {
    const given = Number(env.COLUMNS);
    if (Number.isInteger(given) && given >= 20) return given;
    return stream.columns || (stream.isTTY ? 80 : 120);
  };
  let outputEnded = false;
  let statusText: string | undefined;
  let statusSince = 0;
  let frame = 0;
  let isDrawn = false;
  let asking: Promise<unknown> | undefined;
  let ticking: NodeJS.Timeout | undefined;

  // A reader that has seen enough (`| head`) closes the pipe: no reason to complain, nor to stop tidying up.
  stdout.on('error', () => {
    outputEnded = true;
  });
  stderr.on('error', () => {});

  function draw(): void {
    if (statusText === undefined || asking) return;
    const seconds = Math.floor((performance.now() - statusSince) / 1_000);
    const line = `${frames[frame++ % frames.length]} ${statusText}${seconds > 0 ? ` ${seconds} s` : ''}`;
    stderr.write(`${eraseLine}${shorten(line, columnsOf(stderr) - 1)}`);
    isDrawn = true;
  }

  function erase(): void {
    if (isDrawn) stderr.write(eraseLine);
    isDrawn = false;
  }

  async function askNow(question: string, signal?: AbortSignal): Promise<string | undefined> {
    if (signal?.aborted) return undefined;
    erase();
    const lines = createInterface({ input: stdin, output: stderr, terminal: true });
    lines.on('SIGINT', onInterrupt);
    const ended = new Promise<undefined>((resolve) => lines.once('close', () => resolve(undefined)));
    try {
      const answer = await Promise.race([lines.question(question, signal ? { signal } : {}), ended]);
      if (answer === undefined) stderr.write('\n');
      return answer;
    } catch {
      stderr.write('\n');
      return undefined;
    } finally {
      lines.close();
    }
  }

  return {
    isPerson: stdout.isTTY === true,
    get width() {
      return columnsOf(stdout);
    },
    colors: pc.createColors(isColored(stdout.isTTY)),
    noteColors: pc.createColors(isColored(stderr.isTTY)),
    canAsk: stdin.isTTY === true && stderr.isTTY === true,
    print(text) {
      erase();
      if (!outputEnded) stdout.write(text.endsWith('\n') ? text : `${text}\n`);
    },
    note(text) {
      const wasDrawn = isDrawn;
      erase();
      stderr.write(`${text}\n`);
      if (wasDrawn) draw();
    },
    status(text) {
      if (stderr.isTTY !== true || env.TERM === 'dumb') return;
      if (text === undefined) {
        clearInterval(ticking);
        ticking = undefined;
        statusText = undefined;
        erase();
        return;
      }
      if (statusText === undefined) statusSince = performance.now();
      statusText = text;
      // The first tick draws: what is over by then needs no line.
      ticking ??= setInterval(draw, 100).unref();
    },
    async ask(question, signal) {
      const turn: Promise<string | undefined> = (asking ?? Promise.resolve()).then(() => askNow(question, signal));
      asking = turn;
      try {
        return await turn;
      } finally {
        if (asking === turn) asking = undefined;
      }
    },
    async flush() {
      await Promise.all(
        [stdout, stderr].map((stream) => new Promise<void>((resolve) => stream.write('', () => resolve()))),
      );
    },
  };
}
