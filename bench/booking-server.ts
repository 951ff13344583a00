// Our own side of `bench/booking.ts`, a process of its own.
import { prepareShop } from './booking-shop.ts';

const kernel = await (await prepareShop(process.env)).start({ port: 0, host: '127.0.0.1', workers: false });
process.stdout.write(`listening on port ${kernel.port}\n`);
process.on('SIGTERM', () => void kernel.stop({ immediately: true }).then(() => process.exit(0)));
