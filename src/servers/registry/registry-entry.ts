import type { HttpTarget } from '../../config/config.ts';
/** A server as a registry describes it. What it says is its publisher's word. */
export interface RegistryEntry {
  /** Such as `io.github.ada/weather`. */
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly version: string;
  readonly status: 'active' | 'deprecated' | 'deleted';
  readonly repository?: string;
  readonly website?: string;
  /** How it can be had; the ones that ask for the least of this machine first. */
  readonly ways: readonly RegistryWay[];
  /** Ways that can't be taken here, and why. */
  readonly unusable: readonly { readonly what: string; readonly reason: string }[];
}

/** One way to have a server: a program to start, or an address. */
export interface RegistryWay {
  readonly kind: 'program' | 'address';
  /** For a person: the command with what is filled in between angle brackets, or the address. */
  readonly label: string;
  /** What has to be known before it can be added. */
  readonly inputs: readonly RegistryInput[];
  readonly target: ProgramTarget | AddressTarget;
}

export interface ProgramTarget {
  readonly command: string;
  readonly args: readonly RegistryArgument[];
  readonly env: readonly RegistryValue[];
}

export interface AddressTarget {
  readonly transport: HttpTarget['transport'];
  readonly url: string;
  readonly headers: readonly RegistryValue[];
}

/** A value by name, made of what was filled in. */
export interface RegistryValue {
  readonly name: string;
  /** With `{key}` for each input. */
  readonly template: string;
}

/** An argument: left out where one of its inputs has no value. */
export interface RegistryArgument {
  /** The flag before it. */
  readonly flag?: string;
  readonly template?: string;
}

export interface RegistryInput {
  readonly key: string;
  readonly description?: string;
  readonly isRequired: boolean;
  readonly isSecret: boolean;
  readonly default?: string;
  readonly placeholder?: string;
  readonly choices?: readonly string[];
}
