import { existsSync, readFileSync } from 'node:fs';

export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** The size of a PNG or SVG file, so that the page does not move when the image has loaded. */
export function readImageSize(file: string): ImageSize | undefined {
  if (!existsSync(file)) return undefined;
  const body = readFileSync(file);
  if (file.endsWith('.png')) return { width: body.readUInt32BE(16), height: body.readUInt32BE(20) };
  const [, width, height] = /viewBox="0 0 (\d+) (\d+)"/.exec(body.toString('utf8')) ?? [];
  return width === undefined || height === undefined ? undefined : { width: Number(width), height: Number(height) };
}
