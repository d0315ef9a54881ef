import { setTimeout as pause } from 'node:timers/promises';
import { toDisplayText } from '../../policy/display-text.ts';
import { openGatewayClient } from '../backend/gateway-client.ts';
import type { CommandContext } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';

export interface LogsOptions {
  readonly follow?: boolean;
}

/** `toolwharf logs`: what a server's program said on its stderr. */
export async function logs(server: string, { follow }: LogsOptions, context: CommandContext): Promise<number> {
  const { terminal, signal } = context;
  const gateway = await openGatewayClient(context);
  const path = `/api/servers/${encodeURIComponent(server)}/stderr`;
  let seen: readonly string[] = [];
  for (;;) {
    const { lines } = await gateway.get<{ readonly lines: readonly string[] }>(path);
    for (const line of newLines(seen, lines)) terminal.print(shown(line, context));
    seen = lines;
    if (!follow) break;
    await pause(1_000, undefined, { signal });
  }
  if (seen.length === 0) terminal.note(`Server '${server}' has said nothing on its error output.`);
  return exitCodes.ok;
}

/** What came since the last look. Only the last lines are kept, so the old ones may be gone from the front. */
export function newLines(before: readonly string[], now: readonly string[]): readonly string[] {
  for (let start = 0; start < before.length; start++) {
    const known = before.length - start;
    if (known <= now.length && before.every((line, at) => at < start || line === now[at - start]))
      return now.slice(known);
  }
  return now;
}

function shown(line: string, { terminal }: CommandContext): string {
  return terminal.isPerson ? toDisplayText(line, { maxLength: 10_000 }) : line;
}
