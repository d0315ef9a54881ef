/** A side effect as the server recorded it. */
export interface Effect {
  readonly marker: string;
  readonly client: string;
  readonly at: number;
  /** How many executions of the tool were running, this one included. */
  readonly concurrent?: number;
  /** The answer to the question that the tool asked first. */
  readonly answeredBy?: string;
  /** The process that ran the tool. */
  readonly pid?: number;
}

/** A call as its client saw it. */
export interface SentCall {
  readonly marker: string;
  readonly tool?: string;
  /** The client's behaviour, for the counts of a report. */
  readonly kind?: string;
  readonly client: string;
  readonly sentAt: number;
  /** Undefined until a response or an error arrived. */
  readonly endedAt?: number;
  /** `none`: the client's own connection broke, or it is still waiting. */
  readonly answer: 'success' | 'error' | 'none';
  /** The code of an error. */
  readonly code?: string;
  /** The marker and client that a successful response names. */
  readonly answered?: { readonly marker: string; readonly client: string };
  /** True if a trusted server declares the tool repeatable. */
  readonly repeatable?: boolean;
}

/** A call as the journal recorded it. */
export interface RecordedCall {
  readonly id: string;
  readonly marker: string;
  readonly client: string;
  readonly caller: string;
  readonly status: string;
  readonly end?: string;
  /** The code of an error. */
  readonly code?: string;
  readonly endedAt?: number;
  /** The call surely never reached its tool; its idempotency key may be used again. */
  readonly isUnsent?: boolean;
}

/** The time span of an injected fault. */
export interface Fault {
  readonly kind: string;
  readonly from: number;
  /** Undefined while it lasts. */
  readonly until?: number;
  /** The fault damaged the journal: answered calls may be recorded as unknown. */
  readonly ofJournal?: boolean;
  /** The affected servers; all if undefined. */
  readonly servers?: readonly string[];
}

export interface History {
  readonly effects: readonly Effect[];
  readonly calls: readonly SentCall[];
  readonly records: readonly RecordedCall[];
  readonly faults: readonly Fault[];
}

/**
 * `lost`: success without an effect. `twice`: more effects than calls. `wrong-caller`: somebody else's effect, answer or
 * record. `unasked`: an effect nobody asked for. `ran-though-refused`: the client was told, or the record says, that nothing
 * happened. `unrecorded`: an effect or an answer that the journal lacks or contradicts. `recorded-twice`: two records of
 * one call. `unjustified`: an unknown outcome though nothing was broken. `open`: a record that never ended.
 */
export type FindingKind =
  | 'lost'
  | 'twice'
  | 'wrong-caller'
  | 'unasked'
  | 'ran-though-refused'
  | 'unrecorded'
  | 'recorded-twice'
  | 'unjustified'
  | 'open';

export interface Finding {
  readonly kind: FindingKind;
  readonly marker: string;
  readonly message: string;
}

/** Codes which state that the tool did not run. */
const refusals = new Set([
  'ARGUMENTS_INVALID',
  'CALL_DENIED',
  'IDEMPOTENCY_CONFLICT',
  'JOURNAL_UNAVAILABLE',
  'OAUTH_FAILED',
  'OAUTH_REQUIRED',
  'QUEUE_FULL',
  'RATE_LIMITED',
  'SERVER_DISCONNECTED',
  'SERVER_UNREACHABLE',
  'STORAGE_UNAVAILABLE',
  'TOOL_CHANGED',
  'TOOL_NAME_INVALID',
  'TOOLBOX_CLOSED',
]);

/** Codes of calls that may end before they are recorded. */
const unrecordable = new Set([
  'IDEMPOTENCY_CONFLICT',
  'JOURNAL_UNAVAILABLE',
  'RPC',
  'STORAGE_UNAVAILABLE',
  'TOOL_NAME_INVALID',
  'TOOLBOX_CLOSED',
]);

/** How long a call may run after its client stopped waiting. */
const maxEndMs = 30_000;

/** The tolerated clock difference between processes. */
const slackMs = 50;

/** Compares sent calls, side effects and records. Pure. */
export function checkHistory(history: History): readonly Finding[] {
  const effects = groupBy(history.effects);
  const calls = groupBy(history.calls);
  const records = groupBy(history.records);
  const markers = new Set([...calls.keys(), ...effects.keys(), ...records.keys()]);
  return [...markers].flatMap((marker) =>
    checkCall(
      marker,
      { effects: effects.get(marker) ?? [], calls: calls.get(marker) ?? [], records: records.get(marker) ?? [] },
      history.faults,
    ),
  );
}

interface OneCall {
  readonly effects: readonly Effect[];
  /** More than one if the call was repeated with the same idempotency key. */
  readonly calls: readonly SentCall[];
  readonly records: readonly RecordedCall[];
}

function checkCall(marker: string, { effects, calls, records }: OneCall, faults: readonly Fault[]): Finding[] {
  const findings: Finding[] = [];
  const find = (kind: FindingKind, message: string) => findings.push({ kind, marker, message });
  const [sent] = calls;
  // Attempts that never reached the tool are recorded on their own, and their key is used again.
  const dispatched = records.filter(({ isUnsent }) => !isUnsent);
  const [record = records.at(-1)] = dispatched;
  const during = faultsDuring(
    calls.map((call) => extendToEnd(call, record)),
    faults,
  );
  const journalBroke = during.some(({ ofJournal }) => ofJournal === true);
  const succeeded = calls.some(({ answer }) => answer === 'success');
  const mayRepeat = calls.every(({ repeatable }) => repeatable === true) && during.length > 0;

  if (!sent) find('unasked', `${effects.length} effects and ${records.length} records of a call nobody sent`);
  if (effects.length > 1 && !mayRepeat) find('twice', `${effects.length} effects`);
  if (dispatched.length > 1) find('recorded-twice', `records ${dispatched.map(({ id }) => id).join(', ')}`);
  if (effects.length === 0 && (succeeded || record?.status === 'success')) {
    find('lost', succeeded ? 'answered as a success without an effect' : 'recorded as a success without an effect');
  }
  if (effects.length > 0 && calls.length > 0 && calls.every(isRefused)) {
    find('ran-though-refused', `the client was told ${calls.map(({ code }) => code).join(', ')}, and it ran`);
  }
  for (const { code } of dispatched.length > 0 ? dispatched : records) {
    if (effects.length > 0 && code !== undefined && refusals.has(code))
      find('ran-though-refused', `recorded as ${code}, and it ran`);
  }

  for (const found of [...effects, ...records]) {
    if (sent && found.client !== sent.client)
      find('wrong-caller', `sent by ${sent.client}, arrived as ${found.client}`);
  }
  if (sent && record && record.caller !== sent.client) {
    find('wrong-caller', `sent by ${sent.client}, recorded for ${record.caller}`);
  }
  for (const { answered, client } of calls) {
    if (answered && (answered.marker !== marker || answered.client !== client)) {
      find('wrong-caller', `${client} got the answer to ${answered.marker} of ${answered.client}`);
    }
  }

  if (effects.length > 0 && !record) find('unrecorded', 'it ran, and the journal does not have it');
  if (succeeded && record && record.status !== 'success' && !journalBroke) {
    find('unrecorded', `answered as a success, recorded as ${record.status} ${record.end ?? ''}`);
  }
  if (!record && effects.length === 0 && calls.some(isRecordable)) {
    find('unrecorded', 'it was answered, and the journal does not have it');
  }
  const isUnknown = record?.end === 'unknown-outcome' || calls.some(({ code }) => code === 'OUTCOME_UNKNOWN');
  if (isUnknown && during.length === 0) find('unjustified', 'unknown outcome, but nothing was broken meanwhile');
  if (record && record.status !== 'success' && record.status !== 'error') find('open', `still ${record.status}`);
  return findings;
}

function isRefused({ answer, code }: SentCall): boolean {
  return answer === 'error' && code !== undefined && refusals.has(code);
}

function isRecordable({ answer, code }: SentCall): boolean {
  return answer === 'success' || (answer === 'error' && !(code !== undefined && unrecordable.has(code)));
}

function faultsDuring(calls: readonly SentCall[], faults: readonly Fault[]): Fault[] {
  return faults.filter((fault) => calls.some((call) => couldMeet(call, fault)));
}

/** A client that cancels its call does not wait for it, and the call may still be on its way. Clocks may have been set. */
function extendToEnd(call: SentCall, record: RecordedCall | undefined): SentCall {
  const { endedAt = Number.POSITIVE_INFINITY } = call;
  const recordedEnd = Math.min(record?.endedAt ?? 0, endedAt + maxEndMs);
  return recordedEnd > endedAt ? { ...call, endedAt: recordedEnd } : call;
}

function couldMeet(call: SentCall, { from, until = Number.POSITIVE_INFINITY, servers }: Fault): boolean {
  const { sentAt, endedAt = Number.POSITIVE_INFINITY, tool = '' } = call;
  const isThere = servers === undefined || servers.some((server) => tool.startsWith(`${server}__`));
  return isThere && from - slackMs <= endedAt && until + slackMs >= sentAt;
}

function groupBy<Item extends { readonly marker: string }>(items: readonly Item[]): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(item.marker);
    if (group) group.push(item);
    else groups.set(item.marker, [item]);
  }
  return groups;
}
