import type { Embed } from '../../kernel/embed.ts';
import { isObject } from '../../kernel/json.ts';

/** The package whose engine runs models that are packages of their own. */
const engine = '@lat.md/embed';

/**
 * Loads a package that computes vectors: it exports `embed(texts)`, or it is a model of `@lat.md/embed`, which must be installed
 * too. Rejects if it is neither.
 */
export async function loadEmbed(name: string): Promise<Embed> {
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
