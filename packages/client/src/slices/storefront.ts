// Generated from the OpenAPI document. Do not edit.
export { coreStorefront as core } from './core.ts';
export { bookingStorefront as booking } from './booking.ts';
export { catalogStorefront as catalog } from './catalog.ts';
export { checkoutStorefront as checkout } from './checkout.ts';
export { contentStorefront as content } from './content.ts';
export { customersStorefront as customers } from './customers.ts';
export { eventsStorefront as events } from './events.ts';
export { hotelStorefront as hotel } from './hotel.ts';
export { identityStorefront as identity } from './identity.ts';
export { inventoryStorefront as inventory } from './inventory.ts';
export { ordersStorefront as orders } from './orders.ts';
export { platformStorefront as platform } from './platform.ts';
export { restaurantStorefront as restaurant } from './restaurant.ts';
export { searchStorefront as search } from './search.ts';
export { taxesStorefront as taxes } from './taxes.ts';
export { workspaceStorefront as workspace } from './workspace.ts';
