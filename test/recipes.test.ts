import { describe, expect, test } from 'vitest';
import { readPages } from './support/markdown.ts';
import { followRecipe } from './support/recipe.ts';

/*
 * These tests follow each page of docs/recipes as a reader would. The blocks are those of test/docs.test.ts, but `toolwharf` commands and
 * the gateway run in this process, and one gateway serves a whole page.
 */
const recipes = readPages().filter(({ file }) => /^docs\/recipes\/(?!README)/.test(file));

describe('recipes', () => {
  test.each(recipes)('the steps of $file work as described', async (page) => {
    const results = await followRecipe(page);
    expect(results.length).toBeGreaterThan(0);
    for (const { place, command, printed, documented, matches } of results)
      if (!matches) expect({ place, command, printed }).toEqual({ place, command, printed: documented });
  });

  test.each(recipes)('$file states its task in one sentence, and how to see that it worked', ({ prose }) => {
    const [, title = '', ...paragraphs] = prose.split(/^# (.+)$/m);
    const [task = ''] = paragraphs.join('').trim().split(/\n\n/);
    expect(title).not.toBe('');
    expect(task.trim()).toMatch(/^[A-Z].*\.$/s);
    expect(prose).toMatch(/^## How to see that it worked$/m);
  });

  test('there are at least twenty recipes, and the list names each of them', () => {
    expect(recipes.length).toBeGreaterThanOrEqual(20);
    const list = readPages().find(({ file }) => file === 'docs/recipes/README.md');
    for (const { file } of recipes) expect(list?.text).toContain(`(${file.replace('docs/recipes/', '')})`);
  });
});
