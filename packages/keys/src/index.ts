export { ConfigError } from './config-error.ts';
export { checkSameInstallation, type DataDir, dataDirMode, openDataDir, type Secrets } from './data-dir.ts';
export { createKeyring, type Keyring, SealError } from './keyring.ts';
export { type Fault, formatReason, type Reason, thrownMessage } from './reason.ts';
export { type KeyFamily, type KeyRotation, keyFamilies, ownDataDir, rotateKeys } from './rotate.ts';
export { verifyCompact } from './token.ts';
