/** Result of one check. */
export interface Finding {
  /** What was checked, for example `database`. */
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'error';
  readonly message: string;
  /** What to do about it. */
  readonly fix?: string;
}

export const ok = (check: string, message: string): Finding => ({ check, state: 'ok', message });
export const warning = (check: string, message: string, fix: string): Finding => ({ check, state: 'warning', message, fix });
export const failure = (check: string, message: string, fix: string): Finding => ({ check, state: 'error', message, fix });
