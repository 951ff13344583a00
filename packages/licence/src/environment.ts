/** Where an installation runs; a licence names its environment. */
export type Environment = 'production' | 'staging' | 'development';
