import { randomUUID } from 'node:crypto';
import type { Gate } from './gate.ts';
import type { Signer } from './signing.ts';

/**
 * The objects that the access plugin needs. Verdaccio passes only plain configuration to its plugins, so the configuration contains the
 * id of a registered context.
 */
export interface GateContext {
  readonly gate: Gate;
  readonly signer: Signer;
  /** Public URL of the registry; undefined: the URL of the request. */
  readonly url: string | undefined;
  /** Parts of the plugin that Verdaccio has loaded. */
  readonly loaded: Set<'auth' | 'middleware'>;
}

const contexts = new Map<string, GateContext>();

export function registerContext(context: GateContext): { id: string; unregister(): void } {
  const id = randomUUID();
  contexts.set(id, context);
  return { id, unregister: () => void contexts.delete(id) };
}

/** @throws Error outside storeloom-registry: without a gate the plugin doesn't load, and nothing is served */
export function contextOf(id: unknown): GateContext {
  const context = typeof id === 'string' ? contexts.get(id) : undefined;
  if (!context) throw new Error('this plugin runs in storeloom-registry only');
  return context;
}
