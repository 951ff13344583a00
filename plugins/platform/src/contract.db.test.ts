import { contractTest } from '@storeloom/testing';
import platform from './index.ts';

contractTest(platform, { plugins: ['example-hello'] });
