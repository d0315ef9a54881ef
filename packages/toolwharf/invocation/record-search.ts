import { ToolwharfError } from '../../contract/errors.ts';
import { isObject, type JsonObject } from '../../contract/json.ts';
import { type Clock, isoTime } from '../kernel/clock.ts';
import { createId } from '../kernel/create-id.ts';
import type { AnswerSearch, RecordedSearch } from '../kernel/internal-source.ts';
import type { Log } from '../kernel/log.ts';
import type { RedactCalls } from '../policy/redaction.ts';
import { programCaller } from './call.ts';
import { type CallEnding, endingFor, toCallError } from './call-ending.ts';
import type { CallRecord, CallStep } from './call-record.ts';
import { type Journal, writeRecord } from './journal.ts';
import { redactLoose } from './redact-call.ts';

/** A search by a client, or by a script. */
export interface SearchFacts extends RecordedSearch {
  /** Set if a script searches. Its record has the whole answer, so that a replay of the script gets the same one. */
  readonly step?: CallStep;
  /** The lease in which the script began; the current one by default. */
  readonly epoch?: number;
}

/** Answers a search, and resolves when its record is durable. Rejects if it cannot be recorded. */
export type SearchRecorder = (
  search: SearchFacts,
  answerSearch: AnswerSearch,
) => Promise<{ readonly answer: JsonObject; readonly record: CallRecord }>;

export interface SearchRecorderPorts {
  readonly clock: Clock;
  readonly journal: Pick<Journal, 'write' | 'lease' | 'replica'>;
  readonly log: Log;
  /** The redaction by plugins; undefined if none redacts. */
  readonly redact?: () => RedactCalls | undefined;
  readonly onCall: (record: CallRecord) => void;
}

/** Records searches in the journal. A search changes nothing, so one write suffices: after it, and before its answer is returned. */
export function createSearchRecorder(ports: SearchRecorderPorts): SearchRecorder {
  const { journal, clock } = ports;
  const now = () => isoTime(clock.now());

  return async (search, answerSearch) => {
    const { tool, caller = programCaller, id = createId(), parent, step, epoch = journal.lease?.epoch } = search;
    const startedAt = now();
    const write = async (ending: CallEnding): Promise<CallRecord> => {
      const endedAt = now();
      const record: CallRecord = {
        ...{ id, kind: 'search', tool, originalName: tool, caller, replica: journal.replica, parent, step },
        arguments: isObject(search.arguments) ? (redactLoose(ports.redact?.(), search.arguments) ?? {}) : {},
        definitionHash: tool,
        createdAt: startedAt,
        startedAt,
        // Times never decrease, even if the clock does.
        completedAt: endedAt < startedAt ? startedAt : endedAt,
        ...ending,
      };
      await writeRecord(record, 'before', ports, epoch);
      ports.onCall(record);
      return record;
    };
    let found: readonly string[] = [];
    let answer: JsonObject;
    try {
      answer = await answerSearch((names) => {
        found = names;
      });
    } catch (cause) {
      await write(endingFor(toCallError(cause, new AbortController().signal)));
      throw cause;
    }
    const { isError, content, structuredContent } = answer;
    const ending: CallEnding =
      isError === true
        ? endingFor(new ToolwharfError('ARGUMENTS_INVALID', firstText(content)))
        : {
            status: 'success',
            result: { content: [], structuredContent: step ? structuredContent : { tools: found } },
          };
    return { answer, record: await write(ending) };
  };
}

function firstText(content: unknown): string {
  const [first] = Array.isArray(content) ? content : [];
  return isObject(first) ? String(first.text) : '';
}
