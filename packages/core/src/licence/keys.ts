import type { LicenceKeys } from './verify.ts';

/**
 * Public keys of the licence issuer, the current one and the next. None is shipped yet, so licences are those of development; an
 * issuer's keys come here with the release that can activate its licences.
 */
export const shippedKeys: LicenceKeys = new Map();
