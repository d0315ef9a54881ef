import type { JsonObject } from '../../../contract/json.ts';
import { requireGateway } from '../../core/client/select-gateway.ts';
import type { CommandContext, JsonOption } from '../../core/command-context.ts';
import { exitCodes } from '../../core/errors.ts';
import { duration, jsonText, oneLine, shorten } from '../../core/terminal/format.ts';

export interface InspectOptions extends JsonOption {
  readonly topic?: string;
  readonly method?: string;
  readonly errors?: boolean;
}

/** A message as the gateway streams it. */
interface Message {
  readonly at: string;
  readonly direction: 'sent' | 'received';
  readonly kind: string;
  readonly topic: string;
  readonly method?: string;
  readonly durationMs?: number;
  readonly message: JsonObject;
}

/** `toolwharf inspect`: prints the messages between the gateway and a server as they are sent, until Ctrl-C. */
export async function inspect(server: string, options: InspectOptions, context: CommandContext): Promise<number> {
  const { terminal, signal } = context;
  const gateway = await requireGateway(context);
  const stream = await gateway.watchTraffic({ path: { server }, signal });
  for await (const { event, data } of stream) {
    if (event === 'skipped') terminal.note(`${JSON.parse(data).count} messages were left out: they came too fast.`);
    if (event === 'ready') terminal.note(`Watching '${server}'. Press Ctrl-C to stop.`);
    if (event !== 'message') continue;
    const message = JSON.parse(data) as Message;
    if (!isWanted(message, options)) continue;
    const line = options.json ? jsonText(message, { indent: 0 }) : describe(message);
    terminal.print(terminal.isPerson && !options.json ? shorten(line, terminal.width) : line);
  }
  return exitCodes.ok;
}

function isWanted({ topic, method, kind }: Message, options: InspectOptions): boolean {
  if (options.topic !== undefined && topic !== options.topic) return false;
  if (options.method !== undefined && !method?.includes(options.method)) return false;
  return !options.errors || kind === 'error' || kind === 'failure';
}

function describe({ at, direction, kind, method = '', durationMs, message }: Message): string {
  const arrow = direction === 'sent' ? '→' : '←';
  const content = message.params ?? message.result ?? message.error ?? message.failure;
  const time = durationMs === undefined ? '' : ` ${duration(durationMs)}`;
  return `${at.slice(11, 23)} ${arrow} ${oneLine(method)} ${kind}${time} ${oneLine(JSON.stringify(content) ?? '')}`.trimEnd();
}
