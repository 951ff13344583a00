export { type Address, addressFields, type PostalAddress, postalFields, vatIdField } from './address.ts';
export { erasedEmail, isErasedEmail, maskEmail, normalizeEmail, normalizePhone } from './contact.ts';
