// Rewrites screenshots with a palette of 256 colours, which makes them about a third as large, and joins them to one animated picture. For
// PNG files with 8 bits per channel, as browsers write them.
import { crc32, deflateSync, inflateSync } from 'node:zlib';

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const maxColours = 256;

/** The same picture with a palette. */
export function shrinkPng(png) {
  const picture = decode(png);
  const { palette, indexes } = toPalette([picture]);
  return toFile(picture, palette, [chunk('IDAT', compress(toRows(picture, indexes)))]);
}

/** One animated picture (APNG), which repeats: pictures of one size, each with how long it is shown. */
export function animatePng(shown) {
  const pictures = shown.map(({ png, ms }) => ({ ...decode(png), ms }));
  const { palette, indexes } = toPalette(pictures);
  const chunks = [chunk('acTL', numbers([pictures.length, 0]))];
  let sequence = 0;
  for (const [index, picture] of pictures.entries()) {
    const { part, left, top } =
      index === 0 ? { part: picture, left: 0, top: 0 } : changedPart(pictures[index - 1], picture);
    const delay = Buffer.from([picture.ms >> 8, picture.ms & 255, 1_000 >> 8, 1_000 & 255, 0, 0]);
    const frame = numbers([sequence++, part.width, part.height, left, top]);
    chunks.push(chunk('fcTL', Buffer.concat([frame, delay])));
    const data = compress(toRows(part, indexes));
    chunks.push(index === 0 ? chunk('IDAT', data) : chunk('fdAT', Buffer.concat([numbers([sequence++]), data])));
  }
  return toFile(pictures[0], palette, chunks);
}

/** The smallest rectangle that has all pixels that differ; one pixel if none does. */
function changedPart(before, after) {
  const { width, height, pixels } = after;
  let [left, top, right, bottom] = [width, height, 0, 0];
  for (let y = 0, at = 0; y < height; y++)
    for (let x = 0; x < width; x++, at++) {
      if (pixels[at] === before.pixels[at]) continue;
      [left, right] = [Math.min(left, x), Math.max(right, x + 1)];
      [top, bottom] = [Math.min(top, y), Math.max(bottom, y + 1)];
    }
  if (right === 0) [left, top, right, bottom] = [0, 0, 1, 1];
  const part = { width: right - left, height: bottom - top, pixels: new Uint32Array((right - left) * (bottom - top)) };
  for (let y = 0; y < part.height; y++) {
    const from = (top + y) * width + left;
    part.pixels.set(pixels.subarray(from, from + part.width), y * part.width);
  }
  return { part, left, top };
}

function toPalette(pictures) {
  const counts = new Map();
  for (const { pixels } of pictures) for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
  const palette = chooseColours([...counts]);
  return { palette, indexes: new Map([...counts.keys()].map((colour) => [colour, nearest(palette, colour)])) };
}

function toRows({ width, height, pixels }, indexes) {
  const rows = Buffer.alloc(height * (width + 1));
  for (let y = 0, at = 0; y < height; y++) {
    // Each row begins with its filter: none, which is the best one for palettes.
    rows[at++] = 0;
    for (let x = 0; x < width; x++) rows[at++] = indexes.get(pixels[y * width + x]);
  }
  return rows;
}

function compress(rows) {
  return deflateSync(rows, { level: 9, memLevel: 9 });
}

function toFile({ width, height }, palette, data) {
  const header = Buffer.concat([numbers([width, height]), Buffer.from([8, 3, 0, 0, 0])]);
  const colours = chunk('PLTE', Buffer.from(palette.flatMap(channels)));
  return Buffer.concat([signature, chunk('IHDR', header), colours, ...data, chunk('IEND', Buffer.alloc(0))]);
}

function numbers(values) {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4);
  return bytes;
}

/** The pixels as numbers 0xRRGGBB; transparency is dropped. */
function decode(png) {
  const width = png.readUInt32BE(16);
  const height = png.readUInt32BE(20);
  const [depth, kind] = [png[24], png[25]];
  if (depth !== 8 || (kind !== 2 && kind !== 6)) throw new Error(`Cannot read a PNG of ${depth} bits and kind ${kind}`);
  const data = [];
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') data.push(png.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  const size = kind === 6 ? 4 : 3;
  const bytes = unfilter(inflateSync(Buffer.concat(data)), width * size, height, size);
  const pixels = new Uint32Array(width * height);
  for (let pixel = 0, at = 0; pixel < pixels.length; pixel++, at += size)
    pixels[pixel] = (bytes[at] << 16) | (bytes[at + 1] << 8) | bytes[at + 2];
  return { width, height, pixels };
}

function unfilter(raw, stride, height, size) {
  const out = Buffer.alloc(stride * height);
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (stride + 1)];
    for (let x = 0; x < stride; x++) {
      const left = x < size ? 0 : out[y * stride + x - size];
      const up = y === 0 ? 0 : out[(y - 1) * stride + x];
      const corner = x < size || y === 0 ? 0 : out[(y - 1) * stride + x - size];
      const added = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter];
      out[y * stride + x] = raw[y * (stride + 1) + 1 + x] + added;
    }
  }
  return out;
}

function paeth(left, up, corner) {
  const estimate = left + up - corner;
  const [a, b, c] = [Math.abs(estimate - left), Math.abs(estimate - up), Math.abs(estimate - corner)];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}

/** Median cut: the box with the widest range is split at its median until there are enough boxes. */
function chooseColours(counted) {
  if (counted.length <= maxColours) return counted.map(([colour]) => colour);
  const boxes = [counted];
  while (boxes.length < maxColours) {
    const ranked = boxes.map((box) => ({ box, ...widest(box) })).sort((one, other) => other.range - one.range);
    const { box, channel, range } = ranked[0];
    if (range === 0) break;
    box.sort(([one], [other]) => channels(one)[channel] - channels(other)[channel]);
    const total = box.reduce((sum, [, count]) => sum + count, 0);
    let [at, sum] = [0, 0];
    while (at < box.length - 2 && sum + box[at][1] <= total / 2) sum += box[at++][1];
    boxes.splice(boxes.indexOf(box), 1, box.slice(0, at + 1), box.slice(at + 1));
  }
  // The most frequent colour of a box, so that large areas keep their exact colour.
  return boxes.map((box) => box.reduce((best, each) => (each[1] > best[1] ? each : best))[0]);
}

function widest(box) {
  let best = { channel: 0, range: 0 };
  for (const channel of [0, 1, 2]) {
    let [low, high] = [255, 0];
    for (const [colour] of box) {
      const value = channels(colour)[channel];
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
    if (high - low > best.range) best = { channel, range: high - low };
  }
  return best;
}

function nearest(palette, colour) {
  const [red, green, blue] = channels(colour);
  let [best, distance] = [0, Number.POSITIVE_INFINITY];
  for (const [index, candidate] of palette.entries()) {
    const [r, g, b] = channels(candidate);
    const found = (r - red) ** 2 + (g - green) ** 2 + (b - blue) ** 2;
    if (found < distance) [best, distance] = [index, found];
  }
  return best;
}

function channels(colour) {
  return [colour >> 16, (colour >> 8) & 255, colour & 255];
}

function chunk(kind, data) {
  const body = Buffer.concat([Buffer.from(kind, 'latin1'), data]);
  const out = Buffer.alloc(body.length + 8);
  out.writeUInt32BE(data.length, 0);
  body.copy(out, 4);
  out.writeUInt32BE(crc32(body), body.length + 4);
  return out;
}
