import { Component, type ComponentProps, memo, type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import ReactMarkdown, { type Components, type ExtraProps } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { formatNumber } from '../text/formats.ts';
import { Button } from './Button.tsx';
import { CodeBlock } from './CodeBlock.tsx';
import { classNames } from './class-names.ts';
import { SafeLink } from './SafeLink.tsx';
import { safeText } from './safe-text.ts';
import { splitMarkdown } from './split-markdown.ts';

export interface MarkdownProps {
  readonly text: string;
  /** The text still grows: it is rendered at a bounded rate. */
  readonly streaming?: boolean;
}

// Longer texts are shown in pieces on demand.
const pieceLength = 100_000;

/** Untrusted Markdown: HTML is not rendered, remote images are not loaded, every link shows its host. */
export const Markdown = memo(function Markdown({ text: content, streaming = false }: MarkdownProps) {
  const [pieces, setPieces] = useState(1);
  const shownLength = pieces * pieceLength;
  // Longer texts take longer to parse, so they are parsed less often.
  const latest = useBoundedRate(
    content.slice(0, shownLength),
    streaming ? 80 + Math.min(content.length, shownLength) / 500 : 0,
  );
  const blocks = useMemo(() => splitMarkdown(latest), [latest]);
  return (
    <div className="min-w-0 space-y-2.5 break-words">
      {blocks.map(({ kind, text: block, language }, index) => {
        // biome-ignore-start lint/suspicious/noArrayIndexKey: pieces are only ever added at the end
        if (kind === 'code') {
          // Long code gets its colours once it is complete.
          const isGrowing = streaming && index === blocks.length - 1 && block.length > 4_000;
          return <CodeBlock key={index} code={block} language={isGrowing ? undefined : language} />;
        }
        if (kind === 'plain') return <PlainBlock key={index} text={block} />;
        return <MarkdownBlock key={index} text={block} />;
        // biome-ignore-end lint/suspicious/noArrayIndexKey: pieces are only ever added at the end
      })}
      {content.length > shownLength && (
        <p className="flex flex-wrap items-center gap-2 text-xs text-ink-faint">
          {streaming
            ? `${formatNumber(shownLength)} of ${formatNumber(content.length)} characters are shown, more to come.`
            : `${formatNumber(shownLength)} of ${formatNumber(content.length)} characters are shown.`}
          <Button size="small" onClick={() => setPieces(pieces + 1)}>
            Show more
          </Button>
        </p>
      )}
    </div>
  );
});

const PlainBlock = memo(function PlainBlock({ text: content }: { readonly text: string }) {
  return <p className="[overflow-wrap:anywhere] whitespace-pre-wrap">{safeText(content, Number.POSITIVE_INFINITY)}</p>;
});

/** The latest value, updated at most every `everyMs`; 0 means always. */
function useBoundedRate<Value>(value: Value, everyMs: number): Value {
  const [shown, setShown] = useState(value);
  const latest = useRef({ value, everyMs });
  latest.current = { value, everyMs };
  const isBounded = everyMs > 0;
  useEffect(() => {
    if (!isBounded) return undefined;
    let timer: ReturnType<typeof setTimeout>;
    const show = () => {
      setShown(latest.current.value);
      timer = setTimeout(show, latest.current.everyMs);
    };
    show();
    return () => clearTimeout(timer);
  }, [isBounded]);
  return isBounded ? shown : value;
}

/** A block of Markdown, parsed once. */
const MarkdownBlock = memo(function MarkdownBlock({ text }: { readonly text: string }) {
  return (
    <PlainTextFallback text={text}>
      <ReactMarkdown remarkPlugins={plugins} rehypePlugins={treePlugins} components={components}>
        {text}
      </ReactMarkdown>
    </PlainTextFallback>
  );
});

/** Shows the plain text where parsing fails, as for extreme nesting. */
class PlainTextFallback extends Component<{ readonly text: string; readonly children: ReactNode }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children;
    return <p className="whitespace-pre-wrap">{safeText(this.props.text)}</p>;
  }
}

interface Node {
  readonly type: string;
  value?: string;
  readonly children?: readonly Node[];
}

/** Escapes invisible characters after parsing, because Markdown can write them as `&#x202e;` too. */
function escapeInvisible() {
  return (tree: Node) => {
    const open = [tree];
    for (let node = open.pop(); node; node = open.pop()) {
      if (node.value !== undefined) node.value = safeText(node.value, Number.POSITIVE_INFINITY);
      for (const child of node.children ?? []) open.push(child);
    }
  };
}

const plugins = [remarkGfm];
const treePlugins = [escapeInvisible];

// Components take only the attributes they need: ids and others stay out of the page.
const components: Components = {
  p: ({ children }) => <p>{children}</p>,
  // The page uses the first two heading levels itself.
  h1: ({ children }) => <h2 className="mt-4 text-lg first:mt-0">{children}</h2>,
  h2: ({ children }) => <h2 className="mt-4 text-base first:mt-0">{children}</h2>,
  h3: ({ children }) => <h3 className="mt-3 font-semibold first:mt-0">{children}</h3>,
  h4: ({ children }) => <h4 className="mt-3 font-semibold first:mt-0">{children}</h4>,
  h5: ({ children }) => <h5 className="mt-3 font-semibold first:mt-0">{children}</h5>,
  h6: ({ children }) => <h6 className="mt-3 font-semibold first:mt-0">{children}</h6>,
  ul: ({ children, className }) => <ul className={listClass(className, 'list-disc')}>{children}</ul>,
  ol: ({ children, className, start }) => (
    <ol className={listClass(className, 'list-decimal')} start={start}>
      {children}
    </ol>
  ),
  li: ({ children }) => <li className="[&>ol]:mt-1 [&>p+p]:mt-2 [&>pre]:my-2 [&>ul]:mt-1">{children}</li>,
  // A disabled checkbox is shown as a mark.
  input: ({ checked }) => (
    <span role="img" aria-label={checked ? 'done' : 'not done'} className="mr-1.5">
      {checked ? '☑' : '☐'}
    </span>
  ),
  blockquote: ({ children }) => (
    <blockquote className="space-y-2 border-l-2 border-line-strong/50 pl-3 text-ink-soft">{children}</blockquote>
  ),
  hr: () => <hr className="border-line" />,
  a: ({ href, children }) => <SafeLink href={href}>{children}</SafeLink>,
  img: ({ src, alt }) => <RemoteImage src={src} alt={alt} />,
  table: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for inputs
    <div className="overflow-x-auto" tabIndex={0} role="group" aria-label="Table">
      <table className="border-collapse text-left">{children}</table>
    </div>
  ),
  th: ({ children, style }) => (
    <th style={style} className="border border-line bg-sunken px-2 py-1 font-semibold">
      {children}
    </th>
  ),
  td: ({ children, style }) => (
    <td style={style} className="border border-line px-2 py-1 align-top">
      {children}
    </td>
  ),
  // Fenced code inside a list or a quotation; other fenced code is a separate block.
  pre: ({ node }) => <NestedCode node={node} />,
  code: ({ children }) => <code className="rounded bg-sunken px-1 py-0.5 font-mono text-[0.9em]">{children}</code>,
  sup: ({ children }) => <sup>{children}</sup>,
  section: ({ children }) => <section className="border-t border-line pt-2 text-xs">{children}</section>,
};

function listClass(className: string | undefined, marks: string): string {
  const isTasks = className?.includes('contains-task-list') === true;
  return classNames('space-y-1 pl-5', isTasks ? 'list-none pl-1' : marks);
}

function NestedCode({ node }: { readonly node: ExtraProps['node'] }) {
  const code = node?.children[0];
  if (code?.type !== 'element') return null;
  const text = code.children.map((child) => ('value' in child ? child.value : '')).join('');
  const language = /language-(\S+)/.exec(String(code.properties.className ?? ''))?.[1];
  return <CodeBlock code={text.replace(/\n$/, '')} language={language} />;
}

/** A remote image would reveal the reader to its host, so it is named and not loaded. */
function RemoteImage({ src, alt }: Pick<ComponentProps<'img'>, 'src' | 'alt'>) {
  const url = typeof src === 'string' ? URL.parse(src) : null;
  const host = url?.protocol === 'http:' || url?.protocol === 'https:' ? url.host : undefined;
  return (
    <span className="rounded border border-line bg-sunken px-1.5 py-0.5 text-xs text-ink-soft">
      {`Image not loaded: ${safeText(alt || 'no description', 200)}`}
      {host !== undefined && <span className="text-ink-faint"> ({safeText(host, 100)})</span>}
    </span>
  );
}
