export { defineMachine, invalidTransition, type Machine, type MachineOptions, type Move } from './machine.ts';
