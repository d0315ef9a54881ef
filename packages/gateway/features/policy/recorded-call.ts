import type { Condition } from '../../../toolwharf/features/policy/cel/compile.ts';
import { readHistory } from '../../../toolwharf/features/policy/history.ts';
import type { CallFacts } from '../../../toolwharf/features/policy/variables.ts';
import type { CallRecord } from '../../../toolwharf/invocation/call-record.ts';
import { createReadHistory, type HistoryPorts } from '../../../toolwharf/invocation/read-history.ts';
import type { ToolAnnotations } from '../../../toolwharf/kernel/tool.ts';
import type { Persons } from '../../core/auth/persons.ts';
import type { ApiPorts } from '../../core/rest/route.ts';

/** A recorded call as conditions see it, and the variables of which the journal has no value. */
export interface RecordedCall {
  readonly facts: CallFacts;
  readonly unknown: ReadonlySet<string>;
}

export interface RecordedPorts {
  readonly toolbox: Pick<ApiPorts['toolbox'], 'catalog' | 'approvals'>;
  readonly persons: Persons;
  readonly journal: HistoryPorts['journal'];
}

/** Turns records into calls. Persons have the groups that they have now, and annotations are those of the recorded definition. */
export function createRecordedCalls({ toolbox, persons, journal }: RecordedPorts) {
  const read = createReadHistory({ journal, findCallers });
  const callers = new Map<string, Promise<readonly string[]>>();
  const known = new Map<string, Promise<CallFacts['person']>>();
  const definitions = new Map<string, ToolAnnotations | undefined>();
  let pins: Promise<void> | undefined;

  /** The annotations of an accepted definition that is no longer the current one. */
  async function readPins(): Promise<void> {
    for (const { hash, definition } of await toolbox.approvals.pins())
      definitions.set(hash, definition.annotations as ToolAnnotations | undefined);
  }

  async function annotationsOf(record: CallRecord): Promise<ToolAnnotations | null> {
    const { server, originalName, definitionHash, kind } = record;
    if (kind === 'resource' || kind === 'prompt') return {};
    const entry = toolbox.catalog.find({ server, tool: originalName });
    if (entry?.definitionHash === definitionHash) return entry.definition.annotations ?? {};
    pins ??= readPins();
    await pins;
    return definitions.has(definitionHash) ? (definitions.get(definitionHash) ?? {}) : null;
  }

  function personOf({ caller }: CallRecord): Promise<CallFacts['person']> {
    const key = caller.user ?? caller.id;
    const person = known.get(key) ?? persons.find(caller);
    known.set(key, person);
    return person;
  }

  function findCallers(caller: CallRecord['caller']): Promise<readonly string[]> {
    const key = caller.user ?? caller.id;
    const found = callers.get(key) ?? persons.callersOf(caller);
    callers.set(key, found);
    return found;
  }

  /** What conditions ask about the calls before this one, as the journal has them now. */
  function historyOf(record: CallRecord, conditions: readonly Condition[]) {
    const until = new Date(record.createdAt);
    return readHistory(conditions, until, (since) => read(record, { since, until }));
  }

  /** `parent` is the call that made this one, if it is known. */
  return async (
    record: CallRecord,
    parent: CallRecord | undefined,
    conditions: readonly Condition[],
  ): Promise<RecordedCall> => {
    const history = await historyOf(record, conditions);
    const annotations = await annotationsOf(record);
    const { server, tool, originalName, arguments: args, caller, profile, contextLabels } = record;
    const ofParent = parent && { server: parent.server, tool: parent.originalName };
    const unknown = [
      ...(annotations === null ? ['call.annotations'] : []),
      ...(record.parent?.kind === 'call' && !parent ? ['call.parent'] : []),
    ];
    return {
      facts: {
        ...{ server, tool, originalName, arguments: args, caller, profile, contextLabels },
        annotations: annotations ?? undefined,
        parent: record.parent && { ...record.parent, ...ofParent },
        person: await personOf(record),
        history,
      },
      unknown: new Set(unknown),
    };
  };
}
