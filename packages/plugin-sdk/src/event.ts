import type { Ctx } from './context.ts';
import type { InsertOf, RowOf, Shape } from './field.ts';
import type { JobToken } from './job.ts';

/** A type of events that a plugin publishes. */
export interface EventType<S extends Shape = Shape> {
  /** True if webhooks can subscribe; its payload is then covered by the compatibility promise. */
  public?: boolean;
  /** Short description, for the list of events. */
  title?: string;
  /** Fields of the payload. */
  data: S;
}
/** The token of an event type: its owner publishes it, other plugins handle it. */
export interface EventToken<S extends Shape = Shape> extends Readonly<EventType<S>> {
  /** `<plugin>.<noun>.<past verb>`. */
  readonly id: string;
}
/** What `ctx.emit` accepts as payload of an event type: optional fields can be missing. */
export type EmitData<S extends Shape> = InsertOf<S>;
/** What handlers get as payload of an event type. */
export type EventData<T> = T extends EventToken<infer S> ? RowOf<S> : never;

/**
 * Declares a type of events: `export const orderPlaced = event('orders.order.placed', { public: true, data: { id: f.id() } })` in the
 * contract of its owner.
 */
export function event<const S extends Shape>(id: string, type: EventType<S>): EventToken<S> {
  return Object.freeze({ ...type, id });
}

/** The tokens of an entity's events by their verbs. */
export type EntityEvents<T extends Readonly<Record<string, EventType>>> = { readonly [K in keyof T]: EventToken<T[K]['data']> };
/**
 * Declares the events of an entity by their verbs: `entityEvents('orders.order', { placed: { public: true, data } }).placed` is the token
 * of `orders.order.placed`.
 */
export function entityEvents<const T extends Readonly<Record<string, EventType>>>(entity: string, types: T): EntityEvents<T> {
  return Object.freeze(
    Object.fromEntries(Object.entries(types).map(([verb, type]) => [verb, event(`${entity}.${verb}`, type)])),
  ) as EntityEvents<T>;
}

/** Every public event of every plugin that the plugin doesn't handle by its name, for `on`. */
export const everyPublicEvent = event('*', { data: {} as Shape });

/** A published event. */
export interface DomainEvent<D = Record<string, unknown>> {
  /** UUIDv7; the same for every delivery. */
  readonly id: string;
  /** `<plugin>.<noun>.<verb>`. */
  readonly type: string;
  /** Instant of publication. */
  readonly at: string;
  /** Entity and id that the event concerns; events of one aggregate are delivered in order. */
  readonly aggregate: string;
  /** Increases with every event of the tenant. */
  readonly sequence: number;
  /** Payload. */
  readonly data: D;
}
/** Handles an event as a job, at least once. It must be idempotent by event id. */
export type EventHandler<D = Record<string, unknown>> = (ctx: Ctx, event: DomainEvent<D>) => Promise<void>;

/** The handler of an event type, as `on` returns it. */
export type Subscription = readonly [event: { readonly id: string }, handler: EventHandler];
/**
 * Subscribes to events, for `events.on` of a plugin. The event of an optional plugin is named:
 * `on(token<typeof orderPlaced>('orders.order.placed'), handler)`.
 */
export function on<S extends Shape>(type: EventToken<S>, handler: EventHandler<RowOf<S>>): Subscription {
  // The kernel calls a handler with events of its own type only.
  return [type, handler as EventHandler];
}

/** A subscription whose events a job handles together, as `onMany` returns it. */
export interface BatchSubscription {
  /** Event type. */
  readonly event: { readonly id: string };
  /** Job of the subscribed plugin. */
  readonly job: JobToken<{ ids: string[] }>;
  /** Returns the id that the event's data contains for the job. */
  idOf(data: Record<string, unknown>): string;
}
/**
 * Subscribes a job to events, for `events.onMany` of a plugin. The job is queued in the transaction that publishes the events, once with the
 * ids of all of them (at most 500 a job), instead of one delivery for each event. For data that is derived from the present rows, so that
 * neither the number of the events nor their order matters:
 * `onMany(productEvents.updated, queued.products, ({ id }) => id)`.
 */
export function onMany<S extends Shape>(
  type: EventToken<S>,
  job: JobToken<{ ids: string[] }>,
  idOf: (data: RowOf<S>) => string,
): BatchSubscription {
  // The kernel calls it with data of its own type only.
  return { event: type, job, idOf: idOf as BatchSubscription['idOf'] };
}
