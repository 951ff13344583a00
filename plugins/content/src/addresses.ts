import { f } from '@storeloom/plugin-sdk';

/** An address of a picture or a link: absolute, or a path on the shop's host. Never another scheme. */
export const addressField = () => f.text({ max: 2000, pattern: /^(?:https?:\/\/[^\s\\]+|\/(?!\/)[^\s\\]*)$/i });

export const pagePath = (slug: string): string => `/pages/${slug}`;
export const postPath = (slug: string): string => `/blog/${slug}`;
