import { Monitor, Moon, Sun } from 'lucide-react';
import { ToggleGroup } from 'radix-ui';
import { useState } from 'react';
import { applyTheme, readTheme, type Theme } from './theme.ts';

const choices = [
  { theme: 'system', label: 'System', Icon: Monitor },
  { theme: 'light', label: 'Light', Icon: Sun },
  { theme: 'dark', label: 'Dark', Icon: Moon },
] as const;

export function ThemeToggle() {
  const [theme, setTheme] = useState(readTheme);
  function choose(next: string): void {
    if (next === '') return;
    applyTheme(next as Theme);
    setTheme(next as Theme);
  }
  return (
    <ToggleGroup.Root
      type="single"
      value={theme}
      onValueChange={choose}
      aria-label="Colour scheme"
      className="inline-flex rounded-md border border-line p-0.5"
    >
      {choices.map((choice) => (
        <ToggleGroup.Item
          key={choice.theme}
          value={choice.theme}
          aria-label={choice.label}
          title={choice.label}
          className="grid size-7 place-items-center rounded text-ink-faint hover:text-ink data-[state=on]:bg-sunken data-[state=on]:text-ink"
        >
          <choice.Icon aria-hidden className="size-4" />
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  );
}
