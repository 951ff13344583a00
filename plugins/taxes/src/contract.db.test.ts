import { contractTest } from '@storeloom/plugin-sdk/testing';
import plugin from './index.ts';

contractTest(plugin);
