export {
	type ControlStore,
	type Database,
	type DatabaseTransaction,
	isPostgres,
	type Queryable,
} from './database.ts'
export { duplicateOf } from './duplicate.ts'
export { lockGroups } from './lock-groups.ts'
export { controlMigrationStatus, migrateControlStore, noControlMigrations } from './migrate.ts'
export { nameContains } from './name-contains.ts'
export { controlStorePath, openControlStore } from './open-control-store.ts'
export { countOf, type Listing, ownedRows, pageOf } from './owned-rows.ts'
export { openPostgres } from './postgres.ts'
export type { ControlSchema } from './schema.ts'
export { openSqlite } from './sqlite.ts'
