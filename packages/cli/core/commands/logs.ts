import { setTimeout as sleep } from 'node:timers/promises';
import { toDisplayText } from '../../../toolwharf/policy/display-text.ts';
import { requireGateway } from '../client/select-gateway.ts';
import type { CommandContext, JsonOption } from '../command-context.ts';
import { exitCodes } from '../errors.ts';
import { jsonText } from '../terminal/format.ts';

export interface LogsOptions extends JsonOption {
  readonly follow?: boolean;
}

/** `toolwharf logs`: prints the stderr output of a local server. */
export async function logs(server: string, { follow, json }: LogsOptions, context: CommandContext): Promise<number> {
  const { terminal, signal } = context;
  const gateway = await requireGateway(context);
  let seen: readonly string[] = [];
  for (;;) {
    const { lines } = await gateway.getServerErrorOutput({ path: { server } });
    for (const line of newLines(seen, lines)) {
      const shown = terminal.isPerson ? toDisplayText(line, { maxLength: 10_000 }) : line;
      terminal.print(json ? jsonText({ line }, { indent: 0 }) : shown);
    }
    seen = lines;
    if (!follow) break;
    await sleep(1_000, undefined, { signal });
  }
  if (seen.length === 0) terminal.note(`Server '${server}' has written nothing to stderr.`);
  return exitCodes.ok;
}

/** The lines that were added since the last poll. The gateway keeps only the latest lines, so old ones may be gone. */
export function newLines(before: readonly string[], now: readonly string[]): readonly string[] {
  for (let start = 0; start < before.length; start++) {
    const known = before.length - start;
    if (known <= now.length && before.every((line, at) => at < start || line === now[at - start]))
      return now.slice(known);
  }
  return now;
}
