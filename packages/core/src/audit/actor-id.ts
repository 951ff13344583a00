import type { Actor } from '@storeloom/plugin-sdk';

/** Who acted, as logs, events and audit rows name them; null: a guest. */
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
