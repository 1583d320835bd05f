export {
	type ControlStore,
	type Database,
	type DatabaseTransaction,
	duplicateOf,
	isPostgres,
	lockGroups,
	nameContains,
	type Queryable,
} from './database.ts'
export { controlMigrationStatus, migrateControlStore, noControlMigrations } from './migrate.ts'
export { controlStorePath, openControlStore } from './open-control-store.ts'
export { countOf, type Listing, numberedRows, ownedRows, pageOf } from './owned-rows.ts'
export { openPostgres } from './postgres.ts'
export type { ControlSchema } from './schema.ts'
export { openSqlite } from './sqlite/driver.ts'
