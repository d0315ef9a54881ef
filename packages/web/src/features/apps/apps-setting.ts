import { useSyncExternalStore } from 'react';

const key = 'toolwharf.apps';
const listeners = new Set<() => void>();

/** Whether this browser shows apps of servers. Only people who do not want them change this. */
export function useAppsSetting(): boolean {
  return useSyncExternalStore(subscribe, readAppsSetting);
}

function readAppsSetting(): boolean {
  return localStorage.getItem(key) !== 'off';
}

export function setAppsSetting(isOn: boolean): void {
  if (isOn) localStorage.removeItem(key);
  else localStorage.setItem(key, 'off');
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
