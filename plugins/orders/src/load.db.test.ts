import { contractTest } from '@storeloom/plugin-sdk/testing';
import orders from './index.ts';

contractTest(orders, {});
