export { DirectoryInUse, type DirectoryLock, lockDirectory } from './embedded/directory-lock.ts'
export { chooseSocketPath } from './embedded/socket-path.ts'
export { createSideTable, type FrozenTable, freezeTable } from './frozen-table.ts'
export { migrateTelemetryStore, type TelemetryMigration, telemetryVersion } from './migrate.ts'
export { replicatedDdl } from './replicated-ddl.ts'
export {
	durableSettings,
	findUndurableTables,
} from './schema.ts'
export {
	type EngineAddress,
	openTelemetryStore,
	StoreUnavailable,
	type TelemetryStore,
} from './store.ts'
