/** Carriers keep idempotency keys for about a day, so an AWB request without a response is abandoned after it. */
export const requestLifeMs = 24 * 3_600_000;
/** How long the previous webhook secret stays valid. */
export const rotationMs = 24 * 3_600_000;
