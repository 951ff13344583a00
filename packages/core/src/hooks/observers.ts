import type { HookCall, HookObserver, HookOutcome } from '@storeloom/plugin-sdk';
import type { Scope } from '../context/scope.ts';
import type { HookHost, Interception } from './tap.ts';

export interface Ended {
  seconds: number;
  outcome: HookOutcome;
}

/** The observers of one call of a hook. One that throws is a fault of its plugin and changes nothing for the call. */
export class Observers {
  private readonly call: HookCall;
  private readonly interceptions: readonly Interception[];
  private readonly host: HookHost;
  constructor(call: HookCall, interceptions: readonly Interception[], host: HookHost) {
    this.call = call;
    this.interceptions = interceptions;
    this.host = host;
  }
  called(): void {
    this.each((observer) => observer.call?.(this.call));
  }
  tapStarted(plugin: string): void {
    this.each((observer) => observer.tap?.(this.call, plugin));
  }
  tapEnded(plugin: string, ended: Ended): void {
    this.each((observer) => observer.tapped?.(this.call, { plugin, ...ended }));
  }
  ended(ended: Ended): void {
    this.each((observer) => observer.done?.(this.call, ended));
  }
  private each(notify: (observer: HookObserver) => void): void {
    for (const { plugin, observer } of this.interceptions)
      try {
        notify(observer);
      } catch (error) {
        this.host.onFault(plugin, this.call.hook, error);
      }
  }
}

/** Undefined where no plugin that is on for the tenant observes the hook. */
export function observersOf(
  host: HookHost,
  interceptions: readonly Interception[],
  { hook, plugin, scope }: { hook: string; plugin: string; scope: Scope },
): Observers | undefined {
  const on = interceptions.filter((each) => scope.on(each.plugin));
  if (on.length === 0) return undefined;
  const call = Object.freeze({ hook, plugin, tenantId: scope.tenant?.id ?? null, requestId: scope.requestId });
  return new Observers(call, on, host);
}
