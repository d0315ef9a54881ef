import { ToolwharfError } from '../../../contract/errors.ts';
import type { AppPart, Conversation } from '../../../contract/records/conversation.ts';
import { toolAppOf } from '../../../toolwharf/catalog/app-tools.ts';
import type { CallRecord } from '../../../toolwharf/invocation/call-record.ts';
import type { Storage } from '../../../toolwharf/storage/storage.ts';
import type { InternalToolbox } from '../../../toolwharf/toolbox-types.ts';
import { type Identity, personIds } from '../../core/auth/identity.ts';
import { notOwner } from '../../core/rest/access.ts';

/** The texts of an app, as the page around it sends them. */
export interface AppText {
  readonly call: string;
  readonly kind: AppPart['kind'];
  readonly text: string;
}

interface Sender {
  readonly identity: Identity;
  readonly conversation: Conversation;
}

interface AppTextPorts {
  readonly storage: Pick<Storage, 'journal'>;
  readonly toolbox: Pick<InternalToolbox, 'config' | 'catalog'>;
}

/** The parts of a message that apps wrote. Rejects calls that opened no app in this conversation. The journal says which server it was. */
export async function readAppTexts(
  texts: readonly AppText[],
  { identity, conversation }: Sender,
  { storage, toolbox }: AppTextPorts,
): Promise<readonly AppPart[]> {
  if (texts.length === 0) return [];
  if (!personIds(identity).includes(conversation.owner)) throw notOwner();
  const parts: AppPart[] = [];
  for (const { call, kind, text } of texts) {
    const server = toolbox.config.gateway.apps.enabled
      ? serverOf(await storage.journal.get(call), conversation.id)
      : undefined;
    if (server === undefined)
      throw new ToolwharfError('NOT_FOUND', `No call '${call}' opened an app in this conversation`);
    parts.push({ type: 'app', kind, callId: call, server, text });
  }
  return parts;

  function serverOf(record: CallRecord | undefined, id: string): string | undefined {
    if (record?.status !== 'success' || record.caller.conversation !== id || record.server === undefined)
      return undefined;
    const entry = toolbox.catalog.find({ server: record.server, tool: record.originalName });
    return entry && toolAppOf(entry.definition).resourceUri !== undefined ? record.server : undefined;
  }
}
