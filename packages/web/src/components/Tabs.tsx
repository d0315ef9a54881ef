import { Tabs as RadixTabs } from 'radix-ui';
import type { ReactNode } from 'react';

export interface Tab {
  readonly id: string;
  readonly label: ReactNode;
  readonly content: ReactNode;
}

export interface TabsProps {
  readonly label: string;
  readonly tabs: readonly Tab[];
  readonly value?: string;
  readonly onChange?: (id: string) => void;
}

export function Tabs({ label, tabs, value, onChange }: TabsProps) {
  const controlled = value === undefined ? { defaultValue: tabs[0]?.id ?? '' } : { value };
  return (
    <RadixTabs.Root {...controlled} onValueChange={onChange}>
      <RadixTabs.List aria-label={label} className="mb-3 flex gap-1 overflow-x-auto border-b border-line">
        {tabs.map((tab) => (
          <RadixTabs.Trigger
            key={tab.id}
            value={tab.id}
            className="-mb-px inline-flex shrink-0 items-center gap-1.5 border-b-2 border-transparent px-3 py-2 font-medium text-ink-soft -outline-offset-2 hover:text-ink data-[state=active]:border-accent data-[state=active]:text-ink"
          >
            {tab.label}
          </RadixTabs.Trigger>
        ))}
      </RadixTabs.List>
      {tabs.map((tab) => (
        <RadixTabs.Content key={tab.id} value={tab.id}>
          {tab.content}
        </RadixTabs.Content>
      ))}
    </RadixTabs.Root>
  );
}
