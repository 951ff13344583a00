/** A tap failed in a hook with the policy `fail`. Names the plugin to blame. */
export class HookError extends Error {
  readonly plugin: string;
  readonly hook: string;
  constructor(plugin: string, hook: string, cause: unknown) {
    super(`${plugin} failed in hook ${hook}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.name = 'HookError';
    this.plugin = plugin;
    this.hook = hook;
  }
}

/** A tap missed the deadline of its hook, or uses its context after that. */
export class DeadlineError extends Error {
  constructor(plugin: string, hook: string, milliseconds: number) {
    super(`${plugin} missed the deadline of hook ${hook} (${milliseconds} ms); its context is closed`);
    this.name = 'DeadlineError';
  }
}
