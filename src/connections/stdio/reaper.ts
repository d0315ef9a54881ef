import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { markerVariable } from './process-tree.ts';

/**
 * Ends the servers' processes if this process dies: a small shell script reads a pipe from us, which breaks however we
 * end, SIGKILL included. Does nothing on Windows, which has no process groups.
 */
export interface Reaper {
  add(pid: number, marker: string): void;
  /** Resolves at once while other processes are registered, otherwise once the script has exited. */
  remove(pid: number): Promise<void>;
}

const script = `
watched=''
while read -r verb pid marker; do
  case "$verb" in
    add) watched="$watched $pid:$marker" ;;
    del) rest=''; for entry in $watched; do [ "\${entry%%:*}" = "$pid" ] || rest="$rest $entry"; done; watched="$rest" ;;
  esac
done
[ -z "$watched" ] && exit 0
marked() {
  for entry in $watched; do
    grep -lzxF "${markerVariable}=\${entry#*:}" /proc/[0-9]*/environ 2>/dev/null
  done | sed -n 's#^/proc/\\([0-9]*\\)/environ$#\\1#p'
}
end() {
  for entry in $watched; do kill "-$1" "-\${entry%%:*}" 2>/dev/null; done
  for pid in $(marked); do kill "-$1" "$pid" 2>/dev/null; done
}
alive() {
  for entry in $watched; do kill -0 "-\${entry%%:*}" 2>/dev/null && return 0; done
  [ -n "$(marked)" ]
}
sleep 1
end TERM
for i in 1 2 3 4 5; do alive || exit 0; sleep 1; done
end KILL
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
