import { service } from '../token.ts';

export interface EventCatalogue {
  /** `sample`: data of such an event, made up by its fields. */
  all(): readonly { type: string; plugin: string; public: boolean; title: string | null; sample: Record<string, unknown> }[];
}
export const eventLog = service<EventCatalogue>('kernel:event-log');
