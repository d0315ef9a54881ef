import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { markerVariable } from './process-tree.ts';

/**
 * Ends the servers' processes if this process dies: a small shell script reads a pipe from us, which breaks however we
 * end, SIGKILL included. Does nothing on Windows, which has no process groups.
 */
export interface Reaper {
  add(pid: number, marker: string): void;
  /** Kills a registered process after so many milliseconds, even if this process is stopped. A later call replaces the time. */
  killAfter(pid: number, ms: number): void;
  /** Resolves at once while other processes are registered, otherwise once the script has exited. */
  remove(pid: number): Promise<void>;
}

const script = `
watched=''
timers=''
without() {
  kept=''
  for entry in $2; do [ "\${entry%%:*}" = "$1" ] || kept="$kept $entry"; done
  echo "$kept"
}
entry_of() {
  for entry in $2; do [ "\${entry%%:*}" = "$1" ] && echo "$entry"; done
}
marked() {
  for entry in $1; do
    grep -lzxF "${markerVariable}=\${entry#*:}" /proc/[0-9]*/environ 2>/dev/null
  done | sed -n 's#^/proc/\\([0-9]*\\)/environ$#\\1#p'
}
end() {
  for entry in $2; do kill "-$1" "-\${entry%%:*}" 2>/dev/null; done
  for pid in $(marked "$2"); do kill "-$1" "$pid" 2>/dev/null; done
}
alive() {
  for entry in $watched; do kill -0 "-\${entry%%:*}" 2>/dev/null && return 0; done
  [ -n "$(marked "$watched")" ]
}
kill_after() {
  trap 'kill "$sleeping" 2>/dev/null; exit' TERM
  sleep "$2" & sleeping=$!
  wait "$sleeping"
  end KILL "$(entry_of "$1" "$watched")"
}
cancel_kill() {
  for entry in $(entry_of "$1" "$timers"); do kill "\${entry#*:}" 2>/dev/null; done
  timers=$(without "$1" "$timers")
}
while read -r verb pid argument; do
  case "$verb" in
    add) watched="$watched $pid:$argument" ;;
    kill) cancel_kill "$pid"; kill_after "$pid" "$argument" & timers="$timers $pid:$!" ;;
    del) cancel_kill "$pid"; watched=$(without "$pid" "$watched") ;;
  esac
done
[ -z "$watched" ] && exit 0
sleep 1
end TERM "$watched"
for i in 1 2 3 4 5; do alive || exit 0; sleep 1; done
end KILL "$watched"
`;

export function createReaper(): Reaper {
  const watched = new Map<number, string>();
  let shell: ChildProcess | undefined;

  function start(): ChildProcess {
    const child = spawn('/bin/sh', ['-c', script], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
      env: pathOnly(),
    });
    // Without a shell on this machine, servers are still stopped when their connection closes.
    child.on('error', () => {});
    child.stdin?.on('error', () => {});
    child.unref();
    (child.stdin as { unref?: () => void } | null)?.unref?.();
    return child;
  }

  return {
    add(pid, marker) {
      if (process.platform === 'win32') return;
      shell ??= start();
      watched.set(pid, marker);
      shell.stdin?.write(`add ${pid} ${marker}\n`);
    },
    killAfter(pid, ms) {
      if (watched.has(pid)) shell?.stdin?.write(`kill ${pid} ${(Math.max(0, ms) / 1_000).toFixed(3)}\n`);
    },
    async remove(pid) {
      if (!watched.delete(pid) || !shell) return;
      shell.stdin?.write(`del ${pid}\n`);
      if (watched.size > 0) return;
      const ending = shell;
      shell = undefined;
      ending.ref();
      ending.stdin?.end();
      if (ending.pid !== undefined && ending.exitCode === null && ending.signalCode === null)
        await once(ending, 'exit');
    },
  };
}

function pathOnly(): Record<string, string> {
  return { PATH: process.env.PATH ?? '/usr/bin:/bin' };
}
