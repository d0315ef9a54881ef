import type { Embed } from '../../kernel/embed.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import type { VectorStore } from '../../storage/ports/vector-store.ts';
import { type Embeddings, openEmbeddings } from './open-embeddings.ts';
import { storeVectors } from './store-vectors.ts';

export interface GatewayEmbeddingsOptions {
  readonly log: Log;
  /** Keeps the vectors of tools over restarts, and shares them with other replicas. */
  readonly storage: { readonly vectors: VectorStore };
  readonly signal: AbortSignal;
}

/**
 * The embeddings that the configuration names, until the signal aborts. Undefined without their package: tools are then searched by
 * keywords, which the log says once.
 */
export function openGatewayEmbeddings(name: string | undefined, options: GatewayEmbeddingsOptions): Embed | undefined {
  const { log, storage, signal } = options;
  if (name === undefined) return undefined;
  const byKeywords = (cause: unknown) => `Tools are searched by keywords: ${messageOf(cause)}`;
  let opened: Embeddings;
  try {
    opened = openEmbeddings(name);
  } catch (cause) {
    log.warning('search.embeddings-missing', byKeywords(cause));
    return undefined;
  }
  const reportFailure = once(signal, (cause) => log.warning('search.embeddings-failed', byKeywords(cause)));
  const onFailure = once(signal, (cause) =>
    log.warning(
      'search.vectors-not-stored',
      `The vectors of tools are computed again after a restart: ${messageOf(cause)}`,
    ),
  );
  signal.addEventListener('abort', () => void opened[Symbol.asyncDispose](), { once: true });
  const embed: Embed = (texts) =>
    opened.embed(texts).catch((cause) => {
      reportFailure(cause);
      throw cause;
    });
  return storeVectors(embed, { store: storage.vectors, model: opened.model, onFailure });
}

/** Reports the first failure only, and none of a gateway that stops. */
function once(stopping: AbortSignal, report: (cause: unknown) => void): (cause: unknown) => void {
  let hasFailed = false;
  return (cause) => {
    if (!hasFailed && !stopping.aborted) report(cause);
    hasFailed = true;
  };
}
