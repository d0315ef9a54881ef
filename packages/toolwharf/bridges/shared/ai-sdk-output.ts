import { isObject } from '../../../contract/json.ts';
import type { ToolResult } from '../../kernel/tool.ts';
import { commonImageTypes, type Media, textOf, toResultParts } from './result-parts.ts';

/** The value that a tool's `execute` returns to the AI SDK: the result without its raw copy, so that stored messages stay small. */
export type AiSdkToolOutput = Omit<ToolResult, 'raw'>;

export type AiSdkModelOutput =
  | { type: 'text'; value: string }
  | { type: 'error-text'; value: string }
  | { type: 'content'; value: AiSdkContent[] };

export type AiSdkContent =
  | { type: 'text'; text: string }
  | { type: 'file'; mediaType: string; data: { type: 'data'; data: string } };

/** A result as the AI SDK sends it to a model. Media that `accepts` rejects is described as text. */
export function toAiSdkOutput(output: unknown, accepts: (media: Media) => boolean = isReadable): AiSdkModelOutput {
  // Outputs may come back from a browser, which may have changed them.
  if (!isToolOutput(output)) return { type: 'text', value: JSON.stringify(output) ?? '' };
  const parts = toResultParts({ ...output, text: String(output.text ?? '') }, accepts);
  if (output.isError) return { type: 'error-text', value: textOf(parts) };
  if (parts.every((part) => part.kind === 'text')) return { type: 'text', value: textOf(parts) };
  return {
    type: 'content',
    value: parts.map((part) =>
      part.kind === 'text'
        ? { type: 'text', text: part.text }
        : { type: 'file', mediaType: part.mimeType, data: { type: 'data', data: part.data } },
    ),
  };
}

function isToolOutput(output: unknown): output is AiSdkToolOutput {
  return isObject(output) && Array.isArray(output.content) && output.content.every(isObject);
}

// Providers silently drop other kinds of files from tool results.
function isReadable({ mimeType }: Media): boolean {
  return commonImageTypes.has(mimeType) || mimeType === 'application/pdf';
}
