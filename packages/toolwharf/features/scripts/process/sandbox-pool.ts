import { ToolwharfError } from '../../../../contract/errors.ts';
import type { Sandbox } from '../run-script.ts';
import { openSandbox, type SandboxProcess } from './sandbox.ts';

/** The processes of all scripts of a gateway. Each runs one script and is then ended. */
export interface SandboxPool extends AsyncDisposable {
  /** Waits until a process is free. The process is given back when the sandbox is disposed. */
  open(signal: AbortSignal): Promise<Sandbox>;
}

export interface SandboxPoolOptions {
  readonly maxProcesses: () => number;
}

/** How long a process that was started in advance waits for a script. */
const spareMs = 60_000;

export function createSandboxPool({ maxProcesses }: SandboxPoolOptions): SandboxPool {
  const queue: PromiseWithResolvers<void>[] = [];
  const open = new Set<SandboxProcess>();
  let running = 0;
  let spare: SandboxProcess | undefined;
  let spareTimer: NodeJS.Timeout | undefined;
  let isClosed = false;

  async function waitForTurn(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (running < maxProcesses() && queue.length === 0) {
      running++;
      return;
    }
    const turn = Promise.withResolvers<void>();
    const onAbort = () => turn.reject(signal.reason);
    queue.push(turn);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      await turn.promise;
    } finally {
      signal.removeEventListener('abort', onAbort);
      const at = queue.indexOf(turn);
      if (at >= 0) queue.splice(at, 1);
    }
  }

  function release(): void {
    running--;
    while (running < maxProcesses() && queue.length > 0) {
      running++;
      queue.shift()?.resolve();
    }
  }

  function launch(): SandboxProcess {
    const sandbox = openSandbox();
    open.add(sandbox);
    void sandbox.ended.then(() => {
      open.delete(sandbox);
      if (spare === sandbox) spare = undefined;
    });
    return sandbox;
  }

  /** Starts the process of the next script while this one runs. */
  function prepareSpare(): void {
    clearTimeout(spareTimer);
    if (isClosed) return;
    spare ??= launch();
    spareTimer = setTimeout(() => spare?.[Symbol.dispose](), spareMs).unref();
  }

  return {
    async open(signal) {
      await waitForTurn(signal);
      if (isClosed) {
        release();
        throw new ToolwharfError('TOOLBOX_CLOSED', 'The toolbox was closed');
      }
      const sandbox = spare ?? launch();
      spare = undefined;
      prepareSpare();
      let isReleased = false;
      const dispose = () => {
        if (isReleased) return;
        isReleased = true;
        sandbox[Symbol.dispose]();
        release();
      };
      return { start: sandbox.start, settle: sandbox.settle, [Symbol.dispose]: dispose };
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      clearTimeout(spareTimer);
      const ends = [...open].map((sandbox) => sandbox.ended);
      for (const sandbox of open) sandbox[Symbol.dispose]();
      await Promise.all(ends);
    },
  };
}
