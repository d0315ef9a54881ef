import { randomUUID } from 'node:crypto';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { SentCall } from './check-history.ts';

export interface LoadOptions {
  readonly era?: 'legacy' | 'auto';
  /** The client's timeout; 60 000. */
  readonly timeoutMs?: number;
  /** Sent with each request; `x-caller` with the name by default. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Answers the questions of the recording server with its own name; false. */
  readonly answersQuestions?: boolean;
}

/** The options of a call to the recording server. */
export interface LoadCall {
  /** `answer`. */
  readonly how?: string;
  /** The exposed name; `s__act`. */
  readonly tool?: string;
  /** A new UUID by default. */
  readonly marker?: string;
  readonly key?: string;
  readonly repeatable?: boolean;
  readonly kind?: string;
  /** Cancels the call. */
  readonly signal?: AbortSignal;
}

/** A named client that records its calls. */
export interface LoadClient extends AsyncDisposable {
  /** Never rejects: the returned record contains the failure. */
  call(call?: LoadCall): Promise<SentCall>;
  /** Makes a call that is not recorded. */
  other(tool: string, args: Record<string, unknown>): Promise<void>;
}

/** Makes calls and records when each was sent and how it ended. */
export interface Load {
  readonly calls: readonly SentCall[];
  /** Connects a client as the caller `name`. */
  open(url: string, name: string, options?: LoadOptions): Promise<LoadClient>;
}

export function createLoad(): Load {
  const calls: SentCall[] = [];

  async function open(url: string, name: string, options: LoadOptions = {}) {
    const { era = 'auto', timeoutMs = 60_000, headers = { 'x-caller': name }, answersQuestions = false } = options;
    const capabilities = answersQuestions ? { elicitation: {} } : {};
    const client = new Client({ name, version: '1.0.0' }, { versionNegotiation: { mode: era }, capabilities });
    if (answersQuestions) {
      client.setRequestHandler('elicitation/create', async ({ params: { message } }) => ({
        action: 'accept' as const,
        // The gateway names the server in front of its question.
        content: { answer: answerOf(name, message.replace(/^\[[^\]]+\] /, '')) },
      }));
    }
    // Lost responses show in the calls, so transport errors are ignored.
    client.onerror = () => {};
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));

    async function call({ how = 'answer', tool = 's__act', key, repeatable, ...given }: LoadCall = {}) {
      const { marker = randomUUID(), kind, signal } = given;
      const sent = {
        ...{ marker, tool, client: name, sentAt: Date.now() },
        ...(repeatable && { repeatable }),
        ...(kind !== undefined && { kind }),
      };
      const at = calls.push({ ...sent, answer: 'none' }) - 1;
      const params = {
        name: tool,
        arguments: { marker, client: name, how },
        ...(key !== undefined && { _meta: { 'toolwharf/idempotencyKey': key } }),
      };
      const outcome = await client.callTool(params, { timeout: timeoutMs, signal }).then(toOutcome, toFailure);
      const ended: SentCall = { ...sent, endedAt: Date.now(), ...outcome };
      calls[at] = ended;
      return ended;
    }

    async function other(tool: string, args: Record<string, unknown>) {
      await client.callTool({ name: tool, arguments: args }).catch(() => {});
    }

    return { call, other, [Symbol.asyncDispose]: () => client.close().catch(() => {}) };
  }

  return { calls, open };
}

/** A client's answer to the question about one of its calls. */
export function answerOf(client: string, marker: string): string {
  return `${client} about ${marker}`;
}

type Outcome = Pick<SentCall, 'answer' | 'code' | 'answered'>;

function toOutcome(result: { isError?: boolean; content?: unknown; _meta?: Record<string, unknown> }): Outcome {
  const code = result._meta?.['toolwharf/code'];
  const text = (result.content as { text?: string }[] | undefined)?.[0]?.text ?? '';
  if (result.isError) return { answer: 'error', code: typeof code === 'string' ? code : `TOOL: ${text}` };
  return { answer: 'success', answered: JSON.parse(text) as NonNullable<SentCall['answered']> };
}

/** A JSON-RPC error is a response; any other error means that there was none. */
function toFailure(cause: unknown): Outcome {
  const isAnswer = cause instanceof Error && typeof (cause as { code?: unknown }).code === 'number';
  return isAnswer ? { answer: 'error', code: 'RPC' } : { answer: 'none' };
}
