import type { LucideIcon } from 'lucide-react';
import { type ComponentType, createContext, useContext } from 'react';
import type { Permission } from '../../../contract/rights.ts';
import type { Server } from '../api/client.ts';
import type { Invalidations } from '../api/event-stream.ts';
import type { Tab } from '../components/Tabs.tsx';

/** A part of the app that can be removed: its folder, and its line in `features/index.ts`. */
export interface Feature {
  /** The name of the gateway's feature: where that is off, this one is too. */
  readonly name: string;
  /** Its name for people, at the beginning of a sentence. */
  readonly title: string;
  /** The names of the features that this one imports. */
  readonly needs?: readonly string[];
  /** The pages by the pattern of their path. Loaded when first opened. */
  readonly pages?: Readonly<Record<string, ComponentType>>;
  readonly navigation?: readonly NavigationEntry[];
  readonly commands?: readonly Command[];
  /** Commands that depend on data. A hook of the palette. */
  readonly useCommands?: () => readonly Command[];
  readonly settings?: readonly Section[];
  /** The tabs of the page Tools. */
  readonly toolTabs?: readonly Section[];
  /** The query keys that events invalidate beside those of the core. */
  readonly invalidations?: Invalidations;
  readonly slots?: Partial<Slots>;
}

/** Places in the shell and in pages of the core that a feature can fill. */
export interface Slots {
  /** Leads to the identity provider with this name. */
  readonly providerSignIn: ComponentType<{ readonly name: string }>;
  /** The first of the steps for new users. */
  readonly firstStep: ComponentType;
  /** The app of a tool's result. */
  readonly toolApp: ComponentType<ToolAppProps>;
  /** A card of the settings of the session. */
  readonly sessionCard: ComponentType;
  /** The tabs of a server's inspector, in front of those of the core. */
  readonly inspector: ComponentType<InspectorProps>;
  /** The sandbox of a server with a program. */
  readonly serverSandbox: ComponentType<{ readonly server: Server }>;
  /** What decides about a call, on its page. */
  readonly callDecision: ComponentType<{ readonly callId: string }>;
  /** The budgets on the page Policy. */
  readonly budgets: ComponentType;
  /** The dialog in which people find published servers. */
  readonly findServers: ComponentType<{ readonly onClose: () => void }>;
}

export interface ToolAppProps {
  /** The call whose result the app shows. */
  readonly callId: string;
  /** Whether the app is open at first. */
  readonly opens: boolean;
  /** Whether questions of servers during the app's calls are shown here. */
  readonly showsQuestions?: boolean;
}

export interface InspectorProps {
  readonly server: Server;
  readonly tabs: readonly Tab[];
}

export interface NavigationEntry {
  readonly href: string;
  readonly label: string;
  readonly Icon: LucideIcon;
  /** The `href` of the entry that it follows, in the same group. */
  readonly after?: string;
  /** Who lacks the permission does not see it. */
  readonly needs?: Permission;
}

/** Something that the palette opens. */
export interface Command {
  readonly kind: string;
  readonly title: string;
  readonly detail?: string;
  readonly href: string;
  /** Who lacks the permission does not see it. */
  readonly needs?: Permission;
}

/** A tab of a page. */
export interface Section {
  readonly id: string;
  readonly label: string;
  readonly Content: ComponentType;
  /** The `id` of the section that it follows; the first one without it. */
  readonly after?: string;
  /** Who lacks the permission does not see it. */
  readonly needs?: Permission;
  /** Whether the section is listed; links lead to it in any case. A hook of the page. */
  readonly useIsListed?: () => boolean;
}

/** The features; of those that are off, only links that say so. The app is mounted again when they change, so that their hooks can be called in a loop. */
export const FeaturesContext = createContext<readonly Feature[]>([]);

export const useFeatures = () => useContext(FeaturesContext);

/** What the features supply for a place; undefined if none does. */
export function useSlot<Name extends keyof Slots>(name: Name): Slots[Name] | undefined {
  return useFeatures().find(({ slots }) => slots?.[name])?.slots?.[name];
}

/** Adds the entries of features to a list, each behind the one that it names, or else in front. */
export function placeEntries<Entry extends { readonly after?: string }>(
  core: readonly Entry[],
  added: readonly Entry[],
  keyOf: (entry: Entry) => string,
): readonly Entry[] {
  const all = [...core];
  for (const entry of added.toReversed())
    all.splice(all.findIndex((other) => keyOf(other) === entry.after) + 1, 0, entry);
  return all;
}
