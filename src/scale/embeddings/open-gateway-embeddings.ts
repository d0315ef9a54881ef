import type { Embed } from '../../kernel/embed.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import { type Embeddings, openEmbeddings } from './open-embeddings.ts';

/**
 * The embeddings that the configuration names, until the signal aborts. Undefined without their package: tools are then searched by
 * keywords, which the log says once.
 */
export function openGatewayEmbeddings(name: string | undefined, log: Log, signal: AbortSignal): Embed | undefined {
  if (name === undefined) return undefined;
  const byKeywords = (cause: unknown) => `Tools are searched by keywords: ${messageOf(cause)}`;
  let opened: Embeddings;
  try {
    opened = openEmbeddings(name);
  } catch (cause) {
    log.warning('search.embeddings-missing', byKeywords(cause));
    return undefined;
  }
  let hasFailed = false;
  signal.addEventListener('abort', () => void opened[Symbol.asyncDispose](), { once: true });
  return (texts) =>
    opened.embed(texts).catch((cause) => {
      if (!hasFailed && !signal.aborted) log.warning('search.embeddings-failed', byKeywords(cause));
      hasFailed = true;
      throw cause;
    });
}
