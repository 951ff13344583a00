interface Deprecated {
  /** Subject of the sentence: `The configuration key PORT`. */
  readonly name: string;
  readonly since: string;
  readonly removedIn: string;
  readonly replacement: string;
}

const warned = new Set<string>();

/** Emits a `DeprecationWarning` of Node, once a process for each name. */
export function warnDeprecated({ name, since, removedIn, replacement }: Deprecated): void {
  if (warned.has(name)) return;
  warned.add(name);
  process.emitWarning(
    `${name} is deprecated since ${since} and removed in ${removedIn}. Use ${replacement} instead.`,
    'DeprecationWarning',
  );
}
