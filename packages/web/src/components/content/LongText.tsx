import { memo, useMemo, useState } from 'react';
import { formatBytes } from '../../text/formats.ts';
import { Button } from '../Button.tsx';
import { ScrollBox } from '../ScrollBox.tsx';
import { safeText } from '../safe-text.ts';
import { saveFile } from './save-file.ts';
import { piecesOf } from './text-pieces.ts';

export interface LongTextProps {
  readonly text: string;
  /** The file name for the download. */
  readonly name?: string;
}

const pieceLength = 100_000;

/** Plain text of any length, shown piece by piece. */
export function LongText({ text: content, name = 'result.txt' }: LongTextProps) {
  const [count, setCount] = useState(1);
  const pieces = useMemo(() => piecesOf(content, pieceLength, count), [content, count]);
  const shown = pieces.reduce((sum, piece) => sum + piece.length, 0);
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <ScrollBox label="Text" className="max-h-96 rounded-md border border-line bg-sunken px-3 py-2">
        {pieces.map((piece, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces stay where they are
          <Piece key={at} text={piece} />
        ))}
        {content === '' && <span className="text-ink-faint">Empty text</span>}
      </ScrollBox>
      {shown < content.length && (
        <div className="flex flex-wrap items-center gap-2 text-ink-soft">
          <span>{`${formatBytes(shown)} of ${formatBytes(content.length)} shown`}</span>
          <Button size="small" onClick={() => setCount(count + 1)}>
            Show more
          </Button>
          <Button size="small" onClick={() => saveFile(name, content, 'text/plain')}>
            Download
          </Button>
        </div>
      )}
    </div>
  );
}

const Piece = memo(function Piece({ text: content }: { readonly text: string }) {
  const visible = useMemo(() => safeText(content, pieceLength), [content]);
  return <pre className="font-mono text-xs leading-relaxed break-words whitespace-pre-wrap">{visible}</pre>;
});
