import { contractTest } from '@storeloom/plugin-sdk/testing';
import platform from './index.ts';

contractTest(platform, { plugins: ['example-hello'] });
