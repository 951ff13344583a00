import type { Tap } from './tap.ts';

/**
 * The order in which the taps of one hook are registered: by stage, and a tap with `before` once the taps that it names are there.
 * @throws Error where taps name each other in a circle
 */
export function registrationOrder<T extends Tap>(taps: readonly T[]): T[] {
  const byStage = taps.toSorted((a, b) => a.stage - b.stage);
  const ordered = byStage.filter((tap) => !tap.before?.length);
  let left = byStage.filter((tap) => tap.before?.length);
  while (left.length > 0) {
    const waiting = new Set(left.map((tap) => tap.plugin));
    // A plugin can order its own taps by their stages only.
    const ready = left.filter((tap) => !tap.before?.some((name) => name !== tap.plugin && waiting.has(name)));
    if (ready.length === 0) throw new Error(left.map((tap) => `${tap.plugin} before ${tap.before?.join(' and ')}`).join(', '));
    ordered.push(...ready);
    left = left.filter((tap) => !ready.includes(tap));
  }
  return ordered;
}
