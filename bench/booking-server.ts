// The API side of `bench/booking.ts`, in its own process.
import { drivers } from '@storeloom/cli';
import { prepare, readConfig } from '@storeloom/core';
import { bookingShop } from './booking-shop.ts';

const prepared = await prepare(readConfig(process.env), await bookingShop(), { drivers });
const kernel = await prepared.start({ port: 0, host: '127.0.0.1', workers: false });
process.stdout.write(`listening on port ${kernel.port}\n`);
process.on('SIGTERM', () => void kernel.stop({ immediately: true }).then(() => process.exit(0)));
