import { type FulfillmentState, fulfillmentStates } from '@storeloom/commerce';
import { defineMachine } from '@storeloom/plugin-sdk/state';

export const fulfillmentMachine = defineMachine<FulfillmentState>({
  start: 'pending',
  states: fulfillmentStates,
  moves: {
    pack: { from: ['pending'], to: 'packed' },
    ship: { from: ['pending', 'packed', 'failed_delivery'], to: 'shipped' },
    deliver: { from: ['shipped'], to: 'delivered' },
    fail: { from: ['shipped'], to: 'failed_delivery' },
    return: { from: ['failed_delivery'], to: 'returned_to_sender' },
    cancel: { from: ['pending', 'packed'], to: 'cancelled' },
  },
});

export const isOpen = (status: FulfillmentState): boolean => status === 'pending' || status === 'packed';
