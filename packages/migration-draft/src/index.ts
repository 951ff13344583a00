export { draftMigration } from './draft.ts';
export { missingColumns } from './missing.ts';
