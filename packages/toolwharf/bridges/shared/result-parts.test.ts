import { expect, test } from 'vitest';
import type { ContentBlock, ToolResult } from '../../kernel/tool.ts';
import { textOf, toResultParts } from './result-parts.ts';

const png = Buffer.from('not really a picture').toString('base64');

function result(content: readonly ContentBlock[], rest: Partial<ToolResult> = {}): ToolResult {
  return { isError: false, content, text: '', callId: 'c', ...rest };
}

function textFor(content: readonly ContentBlock[], rest?: Partial<ToolResult>): string {
  return textOf(toResultParts(result(content, rest)));
}

test('text blocks are unchanged and in order', () => {
  expect(
    textFor([
      { type: 'text', text: 'one' },
      { type: 'text', text: ' two\n' },
    ]),
  ).toBe('one\n two\n');
});

test('media is sent if the provider accepts it', () => {
  const parts = toResultParts(
    result([
      { type: 'image', mimeType: 'image/png', data: png },
      { type: 'resource', resource: { uri: 'file:///a.pdf', mimeType: 'application/pdf', blob: png } },
    ]),
    () => true,
  );
  expect(parts).toEqual([
    { kind: 'media', mimeType: 'image/png', data: png },
    { kind: 'media', mimeType: 'application/pdf', data: png, uri: 'file:///a.pdf' },
  ]);
});

test('media that the provider does not accept is described, with its size', () => {
  const data = Buffer.alloc(12_000).toString('base64');
  expect(textFor([{ type: 'audio', mimeType: 'audio/wav', data }])).toBe('[audio audio/wav, 12 kB]');
  expect(textFor([{ type: 'image', mimeType: 'image/png', data: png }])).toBe('[image image/png, 20 B]');
  expect(
    textFor([{ type: 'resource', resource: { uri: 'file:///a.zip', mimeType: 'application/zip', blob: data } }]),
  ).toBe('[resource file:///a.zip application/zip, 12 kB]');
  expect(textFor([{ type: 'image', mimeType: 'image/tiff', data: Buffer.alloc(2_500_000).toString('base64') }])).toBe(
    '[image image/tiff, 2.5 MB]',
  );
});

test('data that is not base64 is never sent as media', () => {
  for (const data of ['', 'not base64!', undefined])
    expect(toResultParts(result([{ type: 'image', mimeType: 'image/png', data }]), () => true)[0]?.kind).toBe('text');
});

test('line breaks in base64 are removed', () => {
  const data = `${png.slice(0, 8)}\r\n${png.slice(8)}\n`;
  expect(toResultParts(result([{ type: 'image', mimeType: 'image/png', data }]), () => true)).toEqual([
    { kind: 'media', mimeType: 'image/png', data: png },
  ]);
});

test('embedded text has its URI, and links and unknown content are described', () => {
  expect(
    textFor([
      { type: 'resource', resource: { uri: 'file:///a.md', mimeType: 'text/markdown', text: '# Title' } },
      { type: 'resource_link', uri: 'file:///b.md', name: 'b', mimeType: 'text/markdown', description: 'More' },
      { type: 'hologram', data: 5 },
      { type: 'text' },
    ]),
  ).toBe(
    '[resource file:///a.md text/markdown]\n# Title\n[resource link b file:///b.md text/markdown More]\n' +
      '[content of type hologram]\n[content of type text]',
  );
});

test('structured content is sent as JSON if there is no text', () => {
  const structuredContent = { total: 3 };
  expect(textFor([], { structuredContent })).toBe('{"total":3}');
  expect(textFor([{ type: 'text', text: ' ' }], { structuredContent })).toBe('{"total":3}');
  expect(textFor([], { structuredContent: 1n })).toBe('[structured content that cannot be written as JSON]');
  expect(textFor([{ type: 'text', text: 'three' }], { structuredContent })).toBe('three');
  expect(textFor([{ type: 'resource_link', uri: 'u' }], { structuredContent })).toBe('{"total":3}\n[resource link u]');
});

test('an empty result is described as empty', () => {
  expect(textFor([])).toBe('[no content]');
  expect(textFor([{ type: 'text', text: '' }])).toBe('[no content]');
});

test('an error has only text, which starts with MCP error', () => {
  const isError = true;
  expect(textFor([{ type: 'text', text: 'No such file' }], { isError })).toBe('MCP error: No such file');
  expect(textFor([{ type: 'text', text: 'MCP error: gone' }], { isError })).toBe('MCP error: gone');
  expect(textFor([], { isError, text: 'MCP error: Timed out' })).toBe('MCP error: Timed out');
  expect(textFor([], { isError })).toBe('MCP error: The tool failed without a reason.');
  const picture = [{ type: 'image', mimeType: 'image/png', data: png }];
  expect(toResultParts(result(picture, { isError }), () => true)).toEqual([
    { kind: 'text', text: 'MCP error: [image image/png, 20 B]' },
  ]);
});
