import { service } from '../token.ts';

/** Lists the event types of the loaded plugins. */
export interface EventCatalogue {
  /** Returns every event type. `sample` is example data generated from its fields. */
  all(): readonly { type: string; plugin: string; public: boolean; title: string | null; sample: Record<string, unknown> }[];
}
/** Service token of `EventCatalogue`. */
export const eventLog = service<EventCatalogue>('kernel:event-log');
