import { Monitor, Moon, Sun } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { text } from '../text/text.ts';
import { applyTheme, readTheme, type Theme } from './theme.ts';
import { ViewToggle } from './ViewToggle.tsx';

const themes: readonly { readonly id: Theme; readonly label: string; readonly icon: ReactNode }[] = [
  { id: 'system', label: text.navigation.theme.system, icon: <Monitor aria-hidden /> },
  { id: 'light', label: text.navigation.theme.light, icon: <Sun aria-hidden /> },
  { id: 'dark', label: text.navigation.theme.dark, icon: <Moon aria-hidden /> },
];

/** Switches between the colour schemes. */
export function ThemeToggle() {
  const [theme, setTheme] = useState(readTheme);
  return (
    <ViewToggle
      label={text.navigation.theme.label}
      views={themes}
      value={theme}
      onChange={(next) => {
        applyTheme(next);
        setTheme(next);
      }}
    />
  );
}
