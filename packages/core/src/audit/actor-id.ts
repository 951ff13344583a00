import type { Actor } from '@storeloom/plugin-sdk';

/** Returns the id of the actor for logs, events and audit entries; null for a guest. */
export function actorId(actor: Actor): string | null {
  switch (actor.type) {
    case 'staff':
    case 'operator':
      return actor.userId;
    case 'customer':
      return actor.customerId;
    case 'provider':
      return actor.provider;
    case 'system':
      return actor.reason;
    case 'guest':
      return null;
  }
}
