import type { CallResult } from '../../api/client.ts';
import { isRecord } from '../../components/content/is-record.ts';

/** Whether less was handed out than the server sent: the gateway then says under which call the whole of it is kept. */
export function isCut({ callId, content }: Pick<CallResult, 'callId' | 'content'>): boolean {
  const mark = `kept under call ${callId}]`;
  return content.some((block) => {
    const text = isRecord(block.resource) ? block.resource.text : block.text;
    return typeof text === 'string' && text.endsWith(mark);
  });
}
