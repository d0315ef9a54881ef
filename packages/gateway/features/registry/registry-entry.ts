import type { HttpTarget } from '../../../contract/settings/config.ts';

/** A server as its publisher describes it in a registry. */
export interface RegistryEntry {
  /** Such as `io.github.ada/weather`. */
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly version: string;
  readonly status: 'active' | 'deprecated' | 'deleted';
  readonly repository?: string;
  readonly website?: string;
  /** Its install options, the least demanding first. */
  readonly installOptions: readonly InstallOption[];
  /** Install options that are not available here, with the reason. */
  readonly unusable: readonly { readonly what: string; readonly reason: string }[];
}

/** An install option: a program to start, or a URL. */
export interface InstallOption {
  readonly kind: 'program' | 'address';
  /** A preview for people: the command with inputs in angle brackets, or the URL. */
  readonly label: string;
  /** Inputs to fill in before the server can be added. */
  readonly inputs: readonly RegistryInput[];
  /** Settings of the publisher that change what runs. A person must accept them before the server is added. */
  readonly risks: readonly string[];
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

/** A named value with inputs. */
export interface RegistryValue {
  readonly name: string;
  /** With `{key}` for each input. */
  readonly template: string;
}

/** An argument; left out if one of its inputs has no value. */
export interface RegistryArgument {
  /** The flag before the value. */
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
