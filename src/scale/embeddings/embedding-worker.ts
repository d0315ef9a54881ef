// A thread that loads the package with the model and computes vectors. The package's name is its data.
import { parentPort, workerData } from 'node:worker_threads';
import { messageOf } from '../../kernel/errors.ts';
import type { EmbeddingAnswer, EmbeddingRequest } from './embedding-protocol.ts';
import { loadEmbed } from './load-embed.ts';

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
