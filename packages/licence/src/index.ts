export { licenceClaims } from './claims.ts';
export type { Environment } from './environment.ts';
export { createIssuer, type IssuerKeys, openIssuer } from './issuer.ts';
export { createLicenceKeeper, type LicenceKeeper } from './keeper.ts';
export { type LicenceIssuerConfig, licenceIssuer, type TrustedIssuer } from './keys.ts';
export { type Cover, createLicence, type InstallationLicence } from './licence.ts';
export { checkLimits, type Usage } from './limits.ts';
