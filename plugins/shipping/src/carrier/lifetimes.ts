/** Carriers forget keys after about a day; an AWB that had no answer by then is given up. */
export const requestLifeMs = 24 * 3_600_000;
/** How long notifications with the former secret are taken. */
export const rotationMs = 24 * 3_600_000;
