export const pagePath = (slug: string): string => `/pages/${slug}`;
export const postPath = (slug: string): string => `/blog/${slug}`;
