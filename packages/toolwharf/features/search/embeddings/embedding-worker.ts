// A thread that loads the package with the model and computes vectors. The package's name is its data.
import { parentPort, workerData } from 'node:worker_threads';
import { messageOf } from '../../../../contract/errors.ts';
import { isObject } from '../../../../contract/json.ts';
import type { Embed } from '../../../kernel/embed.ts';
import type { EmbeddingAnswer, EmbeddingRequest } from './embedding-protocol.ts';

/** This package has the engine. The models are packages of their own. */
const engine = '@lat.md/embed';

const embed = loadEmbed(String(workerData));
// The answer to each request says why the package could not be loaded.
embed.catch(() => {});

parentPort?.on('message', async ({ id, texts }: EmbeddingRequest) => {
  const answer = await compute(texts).then(
    (vectors): EmbeddingAnswer => ({ id, ...vectors }),
    (cause): EmbeddingAnswer => ({ id, problem: messageOf(cause) }),
  );
  parentPort?.postMessage(answer);
});

async function compute(texts: readonly string[]): Promise<{ vectors: Float32Array; dimensions: number }> {
  const found = await (await embed)(texts);
  const dimensions = found[0]?.length ?? 0;
  if (found.length !== texts.length || found.some(({ length }) => length !== dimensions))
    throw new Error(
      `The package returned ${found.length} vectors for ${texts.length} texts, or vectors of different lengths`,
    );
  const vectors = new Float32Array(found.length * dimensions);
  for (const [at, vector] of found.entries()) vectors.set(vector, at * dimensions);
  return { vectors, dimensions };
}

/**
 * Loads a package that computes vectors: it exports `embed(texts)`, or it is a model of `@lat.md/embed`, which must be installed
 * too. Rejects if it is neither.
 */
async function loadEmbed(name: string): Promise<Embed> {
  const loaded: unknown = await import(name);
  const module = isObject(loaded) ? loaded : {};
  for (const found of [module, module.default])
    if (isObject(found) && typeof found.embed === 'function') return found.embed.bind(found) as Embed;
  const { default: model } = module;
  if (isObject(model) && typeof model.weightsPath === 'string') {
    const { createEmbedder } = (await import(engine)) as unknown as Engine;
    const embedder = await createEmbedder({ model });
    return (texts) => embedder.embed([...texts]);
  }
  throw new Error(`The package ${name} has no function \`embed\` and is no model of ${engine}`);
}

interface Engine {
  createEmbedder(options: { readonly model: object }): Promise<{ embed(texts: string[]): Promise<number[][]> }>;
}
