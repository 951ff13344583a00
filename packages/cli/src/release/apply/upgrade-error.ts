/** A step of an upgrade failed or was refused. */
export class UpgradeError extends Error {
  override readonly name = 'UpgradeError';
  /** 1 refused or failed · 4 the licence or the registry refused · 5 a restore failed. */
  readonly exitCode: 1 | 4 | 5;
  constructor(message: string, exitCode: 1 | 4 | 5 = 1, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}
