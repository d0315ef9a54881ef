import { useEffect, useRef, useState } from 'react';

/** Takes files that are dropped anywhere on the page. True while files are dragged over it. */
export function useFileDrop(onDrop: (files: readonly File[]) => void, isActive = true): boolean {
  const [isDragging, setDragging] = useState(false);
  const latest = useRef(onDrop);
  latest.current = onDrop;
  useEffect(() => {
    if (!isActive) return undefined;
    const controller = new AbortController();
    const { signal } = controller;
    // Otherwise the browser would open the file.
    const take = (event: DragEvent, isOver: boolean) => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      setDragging(isOver);
    };
    document.addEventListener('dragover', (event) => take(event, true), { signal });
    document.addEventListener('dragleave', (event) => event.relatedTarget === null && setDragging(false), { signal });
    document.addEventListener(
      'drop',
      (event) => {
        take(event, false);
        const files = [...(event.dataTransfer?.files ?? [])];
        if (files.length > 0) latest.current(files);
      },
      { signal },
    );
    return () => controller.abort();
  }, [isActive]);
  return isDragging;
}
