import type {
  AnyTable,
  EventHandler,
  EventType,
  Inbound,
  Job,
  PlatformJob,
  ProblemType,
  Provider,
  Referrer,
  StatsProvider,
} from '@storeloom/plugin-sdk';
import type { Interception, Tap } from '../hooks/tap.ts';
import type { MountedRoute } from '../http/routes.ts';

export interface ContributedRoute extends MountedRoute {
  readonly plugin: string;
  /** Path as declared, with the prefix. */
  readonly fullPath: string;
  /** True for the copy under `/api/v1`. */
  readonly mirror: boolean;
}
export interface ContributedInbound {
  readonly plugin: string;
  /** Key in `webhooks`. */
  readonly key: string;
  readonly path: string;
  readonly methods: readonly ('GET' | 'POST')[];
  readonly inbound: Inbound;
}
export interface ContributedStats {
  readonly plugin: string;
  readonly name: string;
  readonly path: string;
  readonly permission: string;
  readonly provider: StatsProvider;
}
export interface ContributedEntity {
  /** `catalog.product`. */
  readonly name: string;
  readonly plugin: string;
  readonly table: AnyTable;
  readonly sqlName: string;
  /** Path of its resource, otherwise its noun: the key in `in_use {counts}`. */
  readonly path: string;
}
export interface ContributedReferrer extends Referrer {
  readonly plugin: string;
  /** Entity that the column refers to. */
  readonly target: string;
}
export interface ContributedEvent extends EventType {
  readonly type: string;
  readonly plugin: string;
  /** True for an event of a resource that isn't declared in `events.emits`. */
  readonly implied: boolean;
}
export interface ContributedTap extends Tap {
  readonly hook: string;
}

/** The contribution of a plugin, with its errors. */
export interface Contribution {
  readonly plugin: string;
  readonly problems: string[];
  readonly routes: ContributedRoute[];
  readonly inbound: ContributedInbound[];
  readonly stats: ContributedStats[];
  readonly entities: ContributedEntity[];
  readonly referrers: ContributedReferrer[];
  /** Own permissions → title. */
  readonly permissions: Map<string, string>;
  /** Permissions of other plugins used by its routes. */
  readonly borrowed: Set<string>;
  readonly events: ContributedEvent[];
  readonly handlers: { readonly type: string; readonly handler: EventHandler }[];
  readonly jobs: { readonly name: string; readonly job: Job | PlatformJob }[];
  readonly services: Provider[];
  readonly taps: ContributedTap[];
  readonly interceptions: Interception[];
  /** Kinds of the hooks tapped by their tokens. */
  readonly hookKinds: Map<string, string>;
  readonly errors: readonly (readonly [string, ProblemType])[];
}
