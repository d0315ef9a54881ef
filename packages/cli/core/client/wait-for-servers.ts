import type { Config } from '../../../contract/settings/config.ts';
import { maxConnectMs } from '../../../toolwharf/connections/stdio/package-runner.ts';
import type { ToolboxEvents } from '../../../toolwharf/toolbox.ts';
import type { CommandContext } from '../command-context.ts';
import { oneLine } from '../terminal/format.ts';

interface WaitOptions {
  /** The names of the servers that the command needs; all servers if undefined or empty. */
  readonly needs?: (servers: Config['servers']) => readonly string[];
  /** Required servers may be skipped too; false. */
  readonly tolerant?: boolean;
}

/** The wait for servers, until it is disposed. */
export interface ServerWait extends Disposable {
  /** Aborts when the command goes on without the servers that have not answered. */
  readonly signal: AbortSignal;
  update(event: ToolboxEvents['server.changed']): void;
}

const noticeableMs = 1_000;
const remindMs = 15_000;

/** Shows which servers are waited for. Ends the wait when those that the command needs have answered, or with Ctrl-C. */
export function waitForServers(
  { terminal, skipOnInterrupt }: CommandContext,
  servers: Config['servers'],
  { needs = () => [], tolerant = false }: WaitOptions,
): ServerWait {
  const stop = new AbortController();
  const enabled = servers.filter((spec) => spec.enabled);
  const needed = new Set(needs(enabled));
  const pending = new Map(
    enabled.filter(({ name }) => needed.size === 0 || needed.has(name)).map((spec) => [spec.name, spec]),
  );
  const total = pending.size;
  const startedAt = performance.now();
  const list = () => [...pending.keys()].map((name) => `'${oneLine(name)}'`).join(', ');
  const canSkip = () => pending.size > 0 && (tolerant || [...pending.values()].every(({ required }) => !required));

  function show(): void {
    const hint = performance.now() - startedAt > noticeableMs && canSkip() ? ' (Ctrl-C skips)' : '';
    const isNamed = total > 1 && pending.size < total && pending.size <= 3;
    if (total === 1) terminal.status(`Connecting to ${list()} …${hint}`);
    else
      terminal.status(
        `Connected ${total - pending.size} of ${total} …${isNamed ? ` (waiting for ${list()})` : ''}${hint}`,
      );
  }

  /** A pipe or a file gets lines instead of a status line that changes. */
  function remind(): void {
    if (pending.size === 0) return;
    show();
    if (terminal.showsStatus) return;
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    const longestMs = Math.max(...[...pending.values()].map(maxConnectMs));
    terminal.note(
      `Waiting for ${list()} since ${seconds} s, at most ${Math.round(longestMs / 1_000)} s; Ctrl-C ${canSkip() ? 'skips' : 'cancels'}`,
    );
  }

  const first = setTimeout(remind, noticeableMs).unref();
  const later = setInterval(remind, remindMs).unref();
  const skipping = skipOnInterrupt(() => {
    if (stop.signal.aborted || !canSkip()) return false;
    terminal.note(`Continuing without ${list()}. Press Ctrl-C again to cancel.`);
    stop.abort();
    return true;
  });
  if (total > 0) show();
  return {
    signal: stop.signal,
    update({ server, status }) {
      if (status.state === 'connecting' || !pending.delete(server)) return;
      if (pending.size > 0) show();
      else terminal.status();
      // Other servers connect in the background.
      if (pending.size === 0 && needed.size > 0) stop.abort();
    },
    [Symbol.dispose](): void {
      clearTimeout(first);
      clearInterval(later);
      skipping[Symbol.dispose]();
      terminal.status();
    },
  };
}
