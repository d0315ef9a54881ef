/** The browser globals that functions evaluated in a page use: the DOM types conflict with those of Node. */
interface PageElement {
  readonly scrollWidth: number;
  readonly clientWidth: number;
  getBoundingClientRect(): PageBox;
  matches(selector: string): boolean;
  closest(selector: string): PageElement | null;
}

interface PageBox {
  readonly top: number;
  readonly bottom: number;
}

declare const document: {
  title: string;
  readonly documentElement: PageElement;
  readonly activeElement: PageElement | null;
  querySelector(selector: string): PageElement | null;
  dispatchEvent(event: Event): boolean;
  createRange(): { selectNodeContents(element: PageElement): void; getClientRects(): Iterable<PageBox> };
};

declare class KeyboardEvent extends Event {
  constructor(type: string, init?: { readonly key?: string; readonly bubbles?: boolean });
}
