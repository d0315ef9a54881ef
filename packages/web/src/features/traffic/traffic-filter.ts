import type { TrafficMessage } from '../../api/client.ts';

/** The topics of messages that can be selected; `error` selects errors and failures of any topic. */
export const topics = ['request', 'question', 'log', 'progress', 'notification', 'error'] as const;

export type TopicFilter = (typeof topics)[number];

/** The filter of the messages. */
export interface TrafficFilter {
  readonly topic?: TopicFilter;
  readonly direction?: TrafficMessage['direction'];
  /** A part of the method. */
  readonly method?: string;
  /** A part of the message. */
  readonly text?: string;
}

/** Whether a message is an error, a failed delivery or the result of a failed tool. */
export function isFailed({ kind, message }: TrafficMessage): boolean {
  if (kind === 'error' || kind === 'failure') return true;
  const { result } = message as { readonly result?: { readonly isError?: unknown } };
  return kind === 'result' && result?.isError === true;
}

/** Whether a message matches the filter. */
export function matchesTraffic(message: TrafficMessage, { topic, direction, method, text }: TrafficFilter): boolean {
  if (topic === 'error' ? !isFailed(message) : topic !== undefined && message.topic !== topic) return false;
  if (direction !== undefined && message.direction !== direction) return false;
  if (method !== undefined && !(message.method ?? '').toLowerCase().includes(method.toLowerCase())) return false;
  return text === undefined || JSON.stringify(message.message).toLowerCase().includes(text.toLowerCase());
}

/** The messages as JSON, one per line. */
export function toJsonLines(messages: readonly TrafficMessage[]): string {
  return messages.map((message) => `${JSON.stringify(message)}\n`).join('');
}

/** One line about a message: the text of a log message, the tool of a call, the message of an error. */
export function summarize({ message }: TrafficMessage): string {
  const { params, result, error, failure } = message as Record<string, Record<string, unknown> | string | undefined>;
  if (typeof failure === 'string') return failure;
  if (typeof error === 'object') return String(error.message ?? '');
  if (typeof result === 'object') return describeResult(result);
  if (typeof params !== 'object') return '';
  const { level, data, progress, total, message: note, uri, name, requestId } = params;
  if (level !== undefined) return `${level}: ${typeof data === 'string' ? data : JSON.stringify(data)}`;
  if (progress !== undefined)
    return [`${progress}${total === undefined ? '' : ` / ${total}`}`, note].filter(Boolean).join(' ');
  const subject = name ?? uri ?? note ?? requestId;
  return subject === undefined ? '' : String(subject);
}

function describeResult(result: Record<string, unknown>): string {
  const [first] = Array.isArray(result.content) ? result.content : [];
  if (typeof first?.text === 'string') return first.text;
  const [list] = ['tools', 'resources', 'resourceTemplates', 'prompts', 'roots'].filter((key) =>
    Array.isArray(result[key]),
  );
  if (list !== undefined) return `${list}: ${(result[list] as unknown[]).length}`;
  return typeof result.action === 'string' ? result.action : '';
}
