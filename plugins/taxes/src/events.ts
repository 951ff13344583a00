import { entityEvents, f } from '@storeloom/plugin-sdk';

/** Events of `taxes.rate`. */
export const rateEvents = entityEvents('taxes.rate', {
  scheduled: {
    public: true,
    title: 'A tax rate will change',
    data: { id: f.id(), country: f.text({ max: 2 }), categoryId: f.id(), ratePpm: f.ppm(), validFrom: f.date() },
  },
});
/** Events of `taxes.oss`. */
export const ossEvents = entityEvents('taxes.oss', {
  threshold_passed: {
    public: true,
    title: 'Cross-border sales have passed the limit of the one-stop shop',
    data: { year: f.int(), net: f.money(), exceededAt: f.instant(), orderId: f.id() },
  },
});
