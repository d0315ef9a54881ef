import type { HighlighterCore, LanguageRegistration } from 'shiki/core';

/** A part of a line and its colour. */
export interface CodeToken {
  readonly content: string;
  readonly color?: string;
}

export type HighlightCode = (code: string) => readonly (readonly CodeToken[])[];

type Loader = () => Promise<{ readonly default: LanguageRegistration[] }>;

const json: Loader = () => import('shiki/langs/json.mjs');
const javascript: Loader = () => import('shiki/langs/javascript.mjs');
const typescript: Loader = () => import('shiki/langs/tsx.mjs');
const python: Loader = () => import('shiki/langs/python.mjs');
const shell: Loader = () => import('shiki/langs/shellscript.mjs');
const yaml: Loader = () => import('shiki/langs/yaml.mjs');

const languages: ReadonlyMap<string, readonly [name: string, load: Loader]> = new Map(
  Object.entries({
    json: ['json', json],
    jsonc: ['json', json],
    javascript: ['javascript', javascript],
    js: ['javascript', javascript],
    jsx: ['javascript', javascript],
    typescript: ['tsx', typescript],
    ts: ['tsx', typescript],
    tsx: ['tsx', typescript],
    python: ['python', python],
    py: ['python', python],
    shell: ['shellscript', shell],
    bash: ['shellscript', shell],
    sh: ['shellscript', shell],
    console: ['shellscript', shell],
    yaml: ['yaml', yaml],
    yml: ['yaml', yaml],
    html: ['html', () => import('shiki/langs/html.mjs')],
    css: ['css', () => import('shiki/langs/css.mjs')],
    sql: ['sql', () => import('shiki/langs/sql.mjs')],
    diff: ['diff', () => import('shiki/langs/diff.mjs')],
    toml: ['toml', () => import('shiki/langs/toml.mjs')],
    go: ['go', () => import('shiki/langs/go.mjs')],
    rust: ['rust', () => import('shiki/langs/rust.mjs')],
    java: ['java', () => import('shiki/langs/java.mjs')],
  } satisfies Record<string, readonly [string, Loader]>),
);

let opened: Promise<HighlighterCore> | undefined;

export interface HighlightOptions {
  /** The longest time for a line, in milliseconds; 0 for no limit. Default: 100, because untrusted code may be slow to tokenize. */
  readonly lineTimeLimitMs?: number;
}

/** Loads the highlighter of a language on first use; undefined for an unknown language. */
export async function loadHighlighter(
  language: string,
  { lineTimeLimitMs = 100 }: HighlightOptions = {},
): Promise<HighlightCode | undefined> {
  const known = languages.get(language.toLowerCase());
  if (!known) return undefined;
  const [lang, load] = known;
  opened ??= openHighlighter();
  const highlighter = await opened;
  await highlighter.loadLanguage(load);
  return (code) =>
    highlighter.codeToTokensBase(code, {
      lang,
      theme: 'names',
      // Untrusted code may be one huge line that is slow to tokenize.
      tokenizeMaxLineLength: 2_000,
      tokenizeTimeLimit: lineTimeLimitMs,
    });
}

/** Colours are CSS variables, so that one theme fits both colour schemes. */
async function openHighlighter(): Promise<HighlighterCore> {
  const [{ createCssVariablesTheme, createHighlighterCore }, { createJavaScriptRegexEngine }] = await Promise.all([
    import('shiki/core'),
    import('shiki/engine/javascript'),
  ]);
  return createHighlighterCore({
    themes: [createCssVariablesTheme({ name: 'names', variablePrefix: '--code-', fontStyle: false })],
    langs: [],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  });
}
