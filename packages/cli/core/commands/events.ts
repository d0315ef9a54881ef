import { setTimeout as sleep } from 'node:timers/promises';
import { isObject } from '../../../contract/json.ts';
import type { GatewayClient } from '../client/gateway-client.ts';
import { requireGateway } from '../client/select-gateway.ts';
import type { CommandContext, JsonOption } from '../command-context.ts';
import { jsonText, oneLine, shorten } from '../terminal/format.ts';

export interface EventsOptions extends JsonOption {
  readonly event?: readonly string[];
}

/** `toolwharf events`: prints the gateway's events as they happen, until Ctrl-C. */
export async function events({ json, event: wanted }: EventsOptions, context: CommandContext): Promise<number> {
  const { terminal } = context;
  const gateway = await requireGateway(context);
  return followEvents(gateway, context, (name, data) => {
    if (wanted && !wanted.some((prefix) => name === prefix || name.startsWith(`${prefix}.`))) return;
    const time = new Date().toISOString();
    if (json) return terminal.print(jsonText({ time, event: name, data }, { indent: 0 }));
    const line = `${time.slice(11, 19)}  ${name.padEnd(20)}  ${describe(data)}`;
    terminal.print(terminal.isPerson ? shorten(line, terminal.width) : line);
  });
}

/** Calls the listener with every event of the gateway until the command is interrupted. A broken stream is reopened. */
export async function followEvents(
  gateway: GatewayClient,
  { signal }: CommandContext,
  listener: (name: string, data: unknown) => void,
): Promise<number> {
  let last: string | undefined;
  for (;;) {
    try {
      const stream = await gateway.listenToEvents({ query: { lastEventId: last }, signal });
      for await (const { event, data, id } of stream) {
        last = id ?? last;
        if (event !== undefined && event !== 'ready' && event !== 'alive') listener(event, JSON.parse(data));
      }
    } catch (cause) {
      signal.throwIfAborted();
      // The first attempt must succeed; later the gateway may restart.
      if (last === undefined) throw cause;
    }
    await sleep(1_000, undefined, { signal });
  }
}

/** The most telling members of an event's data: `server=files tool=mcp_files_echo status=success`. */
function describe(data: unknown): string {
  if (!isObject(data)) return '';
  const shown = ['server', 'tool', 'status', 'end', 'state', 'reason', 'kind', 'id', 'action', 'answer', 'message'];
  const facts = shown.flatMap((name) => {
    const value = name === 'state' && isObject(data.status) ? data.status.state : data[name];
    return typeof value === 'string' ? [`${name}=${oneLine(value)}`] : [];
  });
  return facts.join(' ');
}
