/** A fact about an upgrade that an operator or a developer has to know before it runs. */
export interface UpgradeFinding {
  /** Stable, lower_snake_case. */
  readonly code: string;
  /** `blocker`: `upgrade apply` refuses. `warning`: the upgrade runs, with a part missing or deprecated. */
  readonly severity: 'blocker' | 'warning' | 'info';
  /** One sentence. */
  readonly what: string;
  /** File with line, package, key of the environment, or migration. */
  readonly where: string;
  readonly why: string;
  /** A command, or an instruction. */
  readonly fix: string;
}
