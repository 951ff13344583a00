/** The cached tenant is older than the database. Nothing was written; the request runs again. */
export class StaleTenantError extends Error {
  override readonly name = 'TenantMoved';
  readonly tenantId: string;
  constructor(tenantId: string) {
    super(`tenant ${tenantId} has changed`);
    this.tenantId = tenantId;
  }
}
