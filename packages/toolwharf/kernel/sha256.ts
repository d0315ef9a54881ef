/** The SHA-256 of a text as hexadecimal digits, without Node: for short texts in code that also runs in browsers. */
export function sha256(text: string): string {
  const bytes = new TextEncoder().encode(text);
  const blocks = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64);
  blocks.set(bytes);
  blocks[bytes.length] = 0x80;
  const view = new DataView(blocks.buffer);
  view.setBigUint64(blocks.length - 8, BigInt(bytes.length) * 8n);
  const state = Uint32Array.from(primes.slice(0, 8), (prime) => fractionOf(prime ** (1 / 2)));
  for (let at = 0; at < blocks.length; at += 64) addBlock(state, view, at);
  return Array.from(state, (word) => word.toString(16).padStart(8, '0')).join('');
}

function addBlock(state: Uint32Array, view: DataView, at: number): void {
  const words = new Uint32Array(64);
  const word = (index: number) => words[index] as number;
  for (let index = 0; index < 64; index++) {
    if (index < 16) {
      words[index] = view.getUint32(at + index * 4);
      continue;
    }
    const [early, late] = [word(index - 15), word(index - 2)];
    const first = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3);
    const second = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10);
    words[index] = word(index - 16) + first + word(index - 7) + second;
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number];
  for (let index = 0; index < 64; index++) {
    const choice = (e & f) ^ (~e & g);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const one =
      (h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + choice + (rounds[index] as number) + word(index)) | 0;
    const two = ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + majority) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
  }
  for (const [index, value] of [a, b, c, d, e, f, g, h].entries()) state[index] = (state[index] as number) + value;
}

function rotate(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

/** The first 32 bits of the fraction. */
function fractionOf(root: number): number {
  return Math.floor((root % 1) * 2 ** 32);
}

const primes = Array.from({ length: 310 }, (_, index) => index + 2).filter((number) => {
  for (let divisor = 2; divisor * divisor <= number; divisor++) if (number % divisor === 0) return false;
  return true;
});

const rounds = Uint32Array.from(primes.slice(0, 64), (prime) => fractionOf(Math.cbrt(prime)));
