import { service } from '@storeloom/plugin-sdk';

/** The services of identity that a first start needs. Equal by id with those of its contract: the core names no plugin's module. */
export const accountsToken = service<{
  createOwner(owner: { email: string; name: string; password?: string }): Promise<{ userId: string }>;
}>('identity:accounts');
export const operatorsToken = service<{
  create(operator: { email: string; name: string; password: string }): Promise<{ userId: string }>;
}>('identity:operators');
