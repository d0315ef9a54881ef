import type { Path } from './problems.ts';

/** Maps paths of one document to paths of another. A path without an entry uses the entry of its nearest ancestor. */
export interface PathMap {
  set(path: Path, origin: Path): void;
  resolve(path: Path): Path;
}

export function createPathMap(): PathMap {
  const origins = new Map<string, Path>();
  return {
    set: (path, origin) => void origins.set(JSON.stringify(path), origin),
    resolve(path) {
      for (let length = path.length; length >= 0; length--) {
        const origin = origins.get(JSON.stringify(path.slice(0, length)));
        if (origin) return [...origin, ...path.slice(length)];
      }
      return path;
    },
  };
}
