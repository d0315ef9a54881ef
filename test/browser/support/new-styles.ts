import type { Page } from 'playwright-core';

/** An element of the page: the index of its parent, and its tag, classes and states, which give it its colours. */
type Outline = readonly [parent: number, own: string, hasText: boolean];

/** The number of each style that a page of this worker has had. A style is that of the parent and what the element adds. */
const styles = new Map<string, number>();

/** Keeps the elements in the page: it may change before they are checked. */
const outline = `
  globalThis.outlined = [...document.querySelectorAll('*')];
  (() => {
    const indexes = new Map(outlined.map((element, index) => [element, index]));
    const isStyle = /^(class|style|role|type|disabled|data-.*|aria-(checked|current|disabled|expanded|invalid|pressed|selected))$/;
    const isText = ({ nodeType, data }) => nodeType === 3 && data.trim() !== '';
    return outlined.map((element) => [
      indexes.get(element.parentElement) ?? -1,
      [element.localName, ...[...element.attributes].filter(({ name }) => isStyle.test(name)).map(({ name, value }) => name + '=' + value)].join(' '),
      element.matches('input, select, textarea') || [...element.childNodes].some(isText),
    ]);
  })()`;

/** The indexes, in `outlined` of the page, of the texts and fields with a style that no page of this worker has had. */
export async function findNewStyles(page: Page): Promise<readonly number[]> {
  const elements = (await page.evaluate(outline)) as readonly Outline[];
  const numbers: number[] = [];
  return elements.flatMap(([parent, own, hasText], index) => {
    const style = `${numbers[parent] ?? ''} ${own} ${hasText}`;
    const known = styles.get(style);
    numbers.push(known ?? styles.size);
    if (known !== undefined) return [];
    styles.set(style, styles.size);
    return hasText ? [index] : [];
  });
}
