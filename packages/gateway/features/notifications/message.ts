import type { ApprovalRequest } from '../../../toolwharf/policy/approval.ts';
import { describeArguments } from '../../../toolwharf/policy/describe-arguments.ts';
import { toDisplayText } from '../../../toolwharf/policy/display-text.ts';

/** One message about the approvals that a caller waits for. */
export interface ApprovalMessage {
  /** The id of its record. */
  readonly id: string;
  /** Oldest first. */
  readonly requests: readonly ApprovalRequest[];
  /** The page that answers it; undefined if the address of the gateway is not known. */
  readonly link?: string;
}

/** A call as messages show it. No part of it is markup. */
export interface ShownCall {
  readonly title: string;
  /** Names and texts: the reason, and where the data comes from. */
  readonly facts: readonly (readonly [name: string, text: string])[];
  /** Undefined if there are too many arguments to show: then only the page can allow the call. */
  readonly arguments?: string;
}

const maxCalls = 8;
const maxText = 300;
const maxArguments = 1_500;

/** The calls of a message, and how many more there are. */
export function showCalls({ requests }: ApprovalMessage): {
  readonly calls: readonly ShownCall[];
  readonly more: number;
} {
  return { calls: requests.slice(0, maxCalls).map(showCall), more: Math.max(0, requests.length - maxCalls) };
}

/** Whether people see every argument of every call in the message, so that they may allow all of them there. */
export function isWhole(message: ApprovalMessage): boolean {
  const { calls, more } = showCalls(message);
  return more === 0 && calls.every((call) => call.arguments !== undefined);
}

/** What the message asks, in one line. */
export function titleOf({ requests }: ApprovalMessage): string {
  const [first] = requests;
  if (!first) return '';
  const who = text(first.caller.name ?? first.caller.id);
  return requests.length === 1
    ? `${who} asks to call ${nameOf(first)}`
    : `${who} asks to make ${requests.length} calls`;
}

function showCall(request: ApprovalRequest): ShownCall {
  const { reason, access, change, flows = [], script } = request;
  const sources = flows
    .flatMap((flow) => flow.sources)
    .map(({ server, tool, call }) =>
      text([server, tool].filter((part) => part !== undefined).join('/') || call || 'an earlier call'),
    );
  return {
    title: nameOf(request),
    facts: [
      ['Reason', text(reason)],
      ...(access === undefined ? [] : [['Access', text(access)] as const]),
      ...(change ? [['Tool', 'Its definition has changed since it was accepted'] as const] : []),
      ...(sources.length > 0 ? [['Data comes from', [...new Set(sources)].join(', ')] as const] : []),
      ...(script ? [['Script', `Step ${script.step}`] as const] : []),
    ],
    arguments: describeArguments(request.arguments, { maxLength: maxArguments, indent: 2 }),
  };
}

function nameOf({ server, originalName }: ApprovalRequest): string {
  return text(server === undefined ? originalName : `${server}/${originalName}`);
}

function text(value: string): string {
  return toDisplayText(value, { maxLength: maxText }).replaceAll('\n', ' ');
}

/** Shown where the arguments do not fit. */
export const tooLarge = 'The call has too many arguments to be shown here.';
