// The process of a sandbox. It runs one script, has no access to files, programs or the environment, and ends with its input.
import { createInterface } from 'node:readline';
import variant from '@jitl/quickjs-ng-wasmfile-release-sync';
import { newQuickJSWASMModuleFromVariant } from 'quickjs-emscripten-core';
import { createGuest, type Guest, usedMs } from './guest.ts';
import type { Burst, SandboxRequest } from './protocol.ts';

const quickJs = await newQuickJSWASMModuleFromVariant(variant as never);
let guest: Guest | undefined;
write({ ready: true });

for await (const line of createInterface({ input: process.stdin })) {
  write(answer(JSON.parse(line)));
}

function write(message: Burst | { readonly ready: true }): void {
  process.stdout.write(`${JSON.stringify({ ...message, usedMs: usedMs() })}\n`);
}

function answer(request: SandboxRequest): Burst {
  try {
    if (request.type === 'start') {
      guest = createGuest(quickJs, request);
      return guest.start();
    }
    return (guest as Guest).settle(request.number, request);
  } catch (cause) {
    // QuickJS itself failed, for example because it had no memory left to say so.
    const message = `The sandbox failed: ${cause instanceof Error ? cause.message : String(cause)}`;
    return { calls: [], end: { error: { name: 'InternalError', message }, log: '' } };
  }
}
