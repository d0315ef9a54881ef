import { type LucideIcon, Monitor, Moon, Sun } from 'lucide-react';
import { useState } from 'react';
import { ViewToggle } from '../components/ViewToggle.tsx';
import { applyTheme, readTheme, type Theme } from './theme.ts';

const themes: readonly { readonly id: Theme; readonly label: string; readonly icon: LucideIcon }[] = [
  { id: 'system', label: 'System', icon: Monitor },
  { id: 'light', label: 'Light', icon: Sun },
  { id: 'dark', label: 'Dark', icon: Moon },
];

/** Switches between the colour schemes. */
export function ThemeToggle() {
  const [theme, setTheme] = useState(readTheme);
  return (
    <ViewToggle
      label="Colour scheme"
      views={themes}
      value={theme}
      onChange={(next) => {
        applyTheme(next);
        setTheme(next);
      }}
    />
  );
}
