import { createInterface, type Interface } from 'node:readline/promises';
import { PassThrough } from 'node:stream';
import pc from 'picocolors';
import { nameCommands } from '../program-name.ts';
import { shorten, wrap } from './format.ts';

type Colors = ReturnType<typeof pc.createColors>;

/** The terminal of a command: results go to stdout, everything else to stderr. */
export interface Terminal {
  /** Whether stdout is a terminal: control characters of servers are then shown, not interpreted. */
  readonly isPerson: boolean;
  /** The number of columns of stdout. */
  readonly width: number;
  /** The colours of stdout. */
  readonly colors: Colors;
  /** The colours of stderr. */
  readonly noteColors: Colors;
  /** Whether a person can be prompted: stdin and stderr are a terminal. */
  readonly canAsk: boolean;
  /** Replaces `toolwharf` in the commands that a text quotes by the command that works here. `note` and `say` do so too. */
  name(text: string): string;
  /** Prints lines on stdout. */
  print(text: string): void;
  /** Writes text to stdout without ending the line. */
  stream(text: string): void;
  /** Prints lines on stderr. */
  note(text: string): void;
  /** Prints sentences on stderr, wrapped at the width of the terminal. A command in backticks stays on one line. */
  say(text: string): void;
  /** Whether stderr is a terminal that shows status lines. */
  readonly showsStatus: boolean;
  /** Shows a status line on stderr, if it is a terminal, until it is called without a text. */
  status(text?: string): void;
  /** Prompts for a line; undefined if the input ends or the signal aborts. Prompts are shown one at a time. */
  ask(question: string, signal?: AbortSignal, options?: AskOptions): Promise<string | undefined>;
  /** Leaves the terminal to another program, such as an editor, while the work runs. */
  lend<Value>(work: () => Promise<Value>): Promise<Value>;
  /** Discards input typed while there is no prompt, so that it does not answer the next one. Ctrl-C still works. */
  mute(): Disposable;
  /** Resolves when all output has been written. */
  flush(): Promise<void>;
}

/** Options of a prompt. */
export interface AskOptions {
  /** Earlier lines, latest first. */
  readonly history?: readonly string[];
  /** The initial text of the line. */
  readonly text?: string;
  /** Does not echo the input. */
  readonly isSecret?: boolean;
}

/** The streams and the environment of a process. */
export interface TerminalStreams {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The command that starts Toolwharf here, for hints. Default `toolwharf`. */
  readonly command?: () => string;
  /** Called on Ctrl-C while the terminal reads input. */
  readonly onInterrupt: () => void;
}

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const eraseLine = '\r\u001b[2K';

/** Creates the terminal of a process. */
export function createTerminal(streams: TerminalStreams): Terminal {
  const { stdin, stdout, stderr, env, command = () => 'toolwharf', onInterrupt } = streams;
  const isColored = (isTTY = false) => isTTY && !env.NO_COLOR && env.TERM !== 'dumb';
  const columnsOf = (stream: { readonly isTTY?: boolean; readonly columns?: number }) => {
    const given = Number(env.COLUMNS);
    if (Number.isInteger(given) && given >= 20) return given;
    return stream.columns || (stream.isTTY ? 80 : 120);
  };
  const showsStatus = stderr.isTTY === true && env.TERM !== 'dumb';
  let outputEnded = false;
  let statusText: string | undefined;
  let statusSince = 0;
  let frame = 0;
  let isDrawn = false;
  let asking: Promise<unknown> | undefined;
  let ticking: NodeJS.Timeout | undefined;
  /** The cursor is within a streamed line. */
  let isInLine = false;
  let mutes = 0;
  let discarding: Interface | undefined;

  // A reader such as `head` may close the pipe: the command still has to close its servers.
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

  /** Moves to an empty line. */
  function clear(): void {
    erase();
    if (isInLine) stdout.write('\n');
    isInLine = false;
  }

  function writeNote(text: string): void {
    const wasDrawn = isDrawn;
    clear();
    stderr.write(`${text}\n`);
    if (wasDrawn) draw();
  }

  function discardInput(): void {
    if (mutes === 0 || discarding || asking || stdin.isTTY !== true) return;
    const lines = createInterface({ input: stdin, output: new PassThrough().resume(), terminal: true });
    discarding = lines;
    lines.on('SIGINT', onInterrupt);
    // Ctrl-D closes the interface: it is discarded too.
    lines.once('close', () => {
      if (discarding !== lines) return;
      discarding = undefined;
      discardInput();
    });
  }

  function stopDiscarding(): void {
    const lines = discarding;
    discarding = undefined;
    lines?.close();
  }

  async function askNow(question: string, signal?: AbortSignal, options: AskOptions = {}): Promise<string | undefined> {
    if (signal?.aborted) return undefined;
    stopDiscarding();
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

  async function exclusively<Value>(work: () => Promise<Value>): Promise<Value> {
    const turn = (asking ?? Promise.resolve()).then(work, work);
    asking = turn;
    try {
      return await turn;
    } finally {
      if (asking === turn) asking = undefined;
      discardInput();
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
    showsStatus,
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
    name: (text) => nameCommands(text, command),
    note: (text) => writeNote(nameCommands(text, command)),
    say(text) {
      const named = nameCommands(text, command);
      const width = columnsOf(stderr);
      const wrapped = (line: string) => wrap(line, width, '  ').join('\n');
      writeNote(stderr.isTTY ? named.split('\n').map(wrapped).join('\n') : named);
    },
    status(text) {
      if (!showsStatus) return;
      if (text === undefined) {
        clearInterval(ticking);
        ticking = undefined;
        statusText = undefined;
        erase();
        return;
      }
      if (statusText === undefined) statusSince = performance.now();
      statusText = text;
      // Drawn by the first tick: a shorter operation needs no status line.
      ticking ??= setInterval(draw, 100).unref();
    },
    ask: (question, signal, options) => exclusively(() => askNow(question, signal, options)),
    lend: (work) =>
      exclusively(() => {
        stopDiscarding();
        clear();
        return work();
      }),
    mute() {
      mutes++;
      discardInput();
      return {
        [Symbol.dispose]() {
          mutes--;
          if (mutes === 0) stopDiscarding();
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
