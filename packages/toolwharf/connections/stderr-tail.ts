/** The last lines of a server's error output, limited in lines and bytes. */
export interface StderrTail {
  push(chunk: Buffer | string): void;
  lines(): readonly string[];
}

export interface StderrTailOptions {
  /** Default 500. */
  readonly maxLines?: number;
  /** Longer lines are truncated; default 4 096. */
  readonly maxLineLength?: number;
  /** Applied to every line before it is stored. */
  readonly redact?: (line: string) => string;
}

export function createStderrTail(options: StderrTailOptions = {}): StderrTail {
  const { maxLines = 500, maxLineLength = 4_096, redact = (line) => line } = options;
  let lines: string[] = [];
  let open = '';
  return {
    push(chunk) {
      const pieces = (open + chunk.toString()).split('\n');
      open = (pieces.pop() ?? '').slice(0, maxLineLength);
      for (const piece of pieces) lines.push(redact(piece.slice(0, maxLineLength).trimEnd()));
      // Trimmed in bulk: a flood of error output must not cost a shift per line.
      if (lines.length > maxLines * 2) lines = lines.slice(-maxLines);
    },
    lines: () => [...lines, ...(open ? [redact(open)] : [])].slice(-maxLines),
  };
}
