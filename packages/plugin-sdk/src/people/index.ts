export { type Address, addressFields, type PostalAddress, postalFields, vatIdField } from './address.ts';
export { erasedEmail, isErasedEmail, maskEmail, normalizeEmail, normalizePhone, splitName } from './contact.ts';
export { type PersonalRows, type PersonalTaps, personalRows, personalTaps } from './personal-rows.ts';
