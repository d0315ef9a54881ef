import type { Approval } from '../../api/client.ts';
import { clientOfCaller, nameOfCaller } from '../../components/approval/labels.ts';

/** The approvals with every word of the text in the tool, the server, the caller, the client program, or who answered. */
export function filterApprovals(approvals: readonly Approval[], text: string): readonly Approval[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return approvals;
  return approvals.filter((approval) => {
    const known = textOf(approval);
    return words.every((word) => known.includes(word));
  });
}

function textOf({ server = '', originalName, tool, caller, answeredBy = '' }: Approval): string {
  const texts = [`${server}/${originalName}`, tool, nameOfCaller(caller), clientOfCaller(caller) ?? '', answeredBy];
  return texts.join('\n').toLowerCase();
}
