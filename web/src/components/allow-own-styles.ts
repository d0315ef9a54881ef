/** Lets the dialogs' scroll lock add its style to the page, which allows only styles that carry the page's own mark. */
export function allowOwnStyles(): void {
  const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content;
  Object.assign(globalThis, { __webpack_nonce__: nonce });
}
