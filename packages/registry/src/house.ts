import { randomUUID } from 'node:crypto';
import type { Gate } from './gate.ts';
import type { Signer } from './signing.ts';

/** What the access plugin works with. Verdaccio hands its plugins plain configuration only, so that names it, and here it is. */
export interface House {
  readonly gate: Gate;
  readonly signer: Signer;
  /** Address by which clients reach the registry; undefined: the one that they called. */
  readonly url: string | undefined;
  /** Parts of the plugin that Verdaccio has taken up. */
  readonly taken: Set<'auth' | 'middleware'>;
}

const houses = new Map<string, House>();

export function keepHouse(house: House): { id: string; forget(): void } {
  const id = randomUUID();
  houses.set(id, house);
  return { id, forget: () => void houses.delete(id) };
}

/** @throws Error outside of storeloom-registry: without its gate the plugin does not load, and nothing is served */
export function houseOf(id: unknown): House {
  const house = typeof id === 'string' ? houses.get(id) : undefined;
  if (!house) throw new Error('this plugin runs in storeloom-registry only');
  return house;
}
