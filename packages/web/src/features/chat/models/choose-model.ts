import type { ProviderInput, ProviderTest } from '../../../api/client.ts';

type ListedModel = ProviderTest['models'][number];

const otherPurposes =
  /embed|whisper|tts|audio|speech|image|dall-e|imagen|veo|sora|moderation|realtime|transcri|rerank|guard|babbage|davinci|instruct$/i;

/** Whether the name of a model is not one for embeddings, images, speech or another purpose than answers. */
export const isChatModel = ({ id }: ListedModel) => !otherPurposes.test(id);

/** The families that answer well with tools at a fair price. The newest version comes first. */
const preferred: Readonly<Record<ProviderInput['kind'], readonly RegExp[]>> = {
  openai: [/^gpt-\d+(\.\d+)?$/, /^gpt-/],
  anthropic: [/sonnet/, /claude/],
  google: [/gemini-[\d.]+-flash$/, /gemini-[\d.]+-pro$/, /gemini/],
  'openai-compatible': [],
};

const byVersion = new Intl.Collator('en', { numeric: true });

/** The model that a new assistant gets; undefined if the provider lists none. */
export function chooseModel(kind: ProviderInput['kind'], models: readonly ListedModel[]): string | undefined {
  const candidates = models.filter(isChatModel);
  for (const family of preferred[kind]) {
    const ids = candidates.map(({ id }) => id).filter((id) => family.test(id));
    const newest = ids.sort((one, other) => byVersion.compare(other, one))[0];
    if (newest !== undefined) return newest;
  }
  return candidates[0]?.id;
}
