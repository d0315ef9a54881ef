import { createInterface, type Interface } from 'node:readline/promises';
import { PassThrough } from 'node:stream';
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
  /** A piece of the result as it comes, with no line ended that it does not end itself. */
  stream(text: string): void;
  /** A line, or several, beside the result. */
  note(text: string): void;
  /** One line on a terminal's stderr that says what is going on, until it is called without a text. */
  status(text?: string): void;
  /** The person's line; undefined when they end the input or the signal aborts. Questions wait for each other. */
  ask(question: string, signal?: AbortSignal, options?: AskOptions): Promise<string | undefined>;
  /** Leaves the terminal to another program for as long as the work takes. */
  lend<Value>(work: () => Promise<Value>): Promise<Value>;
  /** Drops what is typed while no question stands, so that nothing is answered before it is asked; Ctrl-C is passed on. */
  mute(): Disposable;
  /** Resolves once everything printed has left the process. */
  flush(): Promise<void>;
}

export interface AskOptions {
  /** Lines of before to go back to, the latest first. */
  readonly history?: readonly string[];
  /** What stands there to be changed. */
  readonly text?: string;
  /** Shows nothing of what is typed. */
  readonly isSecret?: boolean;
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
  /** A line of the result is begun, and the cursor stands in it. */
  let isInLine = false;
  let mutes = 0;
  let swallowing: Interface | undefined;

  // A reader that has seen enough (`| head`) closes the pipe: no reason to complain, nor to stop tidying up.
  stdout.on('error', () => {
    outputEnded = true;
  });
  stderr.on('error', () => {});

  function draw(): void {
    if (statusText === undefined || asking || isInLine) return;
    const seconds = Math.floor((performance.now() - statusSince) / 1_000);
    const line = `${frames[frame++ % frames.length]} ${statusText}${seconds > 0 ? ` ${seconds} s` : ''}`;
    stderr.write(`${eraseLine}${shorten(line, columnsOf(stderr) - 1)}`);
    isDrawn = true;
  }

  function erase(): void {
    if (isDrawn) stderr.write(eraseLine);
    isDrawn = false;
  }

  /** Nothing else may stand in the line that is written to. */
  function clear(): void {
    erase();
    if (isInLine) stdout.write('\n');
    isInLine = false;
  }

  function swallow(): void {
    if (mutes === 0 || swallowing || asking || stdin.isTTY !== true) return;
    const lines = createInterface({ input: stdin, output: new PassThrough().resume(), terminal: true });
    swallowing = lines;
    lines.on('SIGINT', onInterrupt);
    // Ctrl-D closes it, and is dropped like everything else.
    lines.once('close', () => {
      if (swallowing !== lines) return;
      swallowing = undefined;
      swallow();
    });
  }

  function stopSwallowing(): void {
    const lines = swallowing;
    swallowing = undefined;
    lines?.close();
  }

  async function askNow(question: string, signal?: AbortSignal, options: AskOptions = {}): Promise<string | undefined> {
    if (signal?.aborted) return undefined;
    stopSwallowing();
    clear();
    const { history = [], text, isSecret = false } = options;
    const output = isSecret ? new PassThrough().resume() : stderr;
    if (isSecret) stderr.write(question);
    const lines = createInterface({ input: stdin, output, terminal: true, history: [...history] });
    lines.on('SIGINT', onInterrupt);
    const ended = new Promise<undefined>((resolve) => lines.once('close', () => resolve(undefined)));
    try {
      const answering = lines.question(question, signal ? { signal } : {});
      if (text !== undefined) lines.write(text);
      const answer = await Promise.race([answering, ended]);
      if (answer === undefined || isSecret) stderr.write('\n');
      return answer;
    } catch {
      stderr.write('\n');
      return undefined;
    } finally {
      lines.close();
    }
  }

  async function inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    const turn = (asking ?? Promise.resolve()).then(work, work);
    asking = turn;
    try {
      return await turn;
    } finally {
      if (asking === turn) asking = undefined;
      swallow();
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
      clear();
      if (!outputEnded) stdout.write(text.endsWith('\n') ? text : `${text}\n`);
    },
    stream(text) {
      if (text === '') return;
      erase();
      if (!outputEnded) stdout.write(text);
      isInLine = stdout.isTTY === true && !text.endsWith('\n');
    },
    note(text) {
      const wasDrawn = isDrawn;
      clear();
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
    ask: (question, signal, options) => inTurn(() => askNow(question, signal, options)),
    lend: (work) =>
      inTurn(() => {
        stopSwallowing();
        clear();
        return work();
      }),
    mute() {
      mutes++;
      swallow();
      return {
        [Symbol.dispose]() {
          mutes--;
          if (mutes === 0) stopSwallowing();
        },
      };
    },
    async flush() {
      await Promise.all(
        [stdout, stderr].map((stream) => new Promise<void>((resolve) => stream.write('', () => resolve()))),
      );
    },
  };
}
