/** What this process remembers of the tenant is older than the database: nothing was done, the request begins again. */
export class TenantMoved extends Error {
  override readonly name = 'TenantMoved';
  readonly tenantId: string;
  constructor(tenantId: string) {
    super(`tenant ${tenantId} has changed`);
    this.tenantId = tenantId;
  }
}
