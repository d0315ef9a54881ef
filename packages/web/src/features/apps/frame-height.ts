const minHeight = 48;
const maxHeight = 720;

/** The height of the frame that an app asks for, within limits. Undefined for a value that is not a size. */
export function toFrameHeight(wanted: unknown): number | undefined {
  if (typeof wanted !== 'number' || !Number.isFinite(wanted)) return undefined;
  return Math.min(maxHeight, Math.max(minHeight, Math.ceil(wanted)));
}

/** The largest height that an app gets beside the other parts of a page. */
export const maxFrameHeight = maxHeight;
