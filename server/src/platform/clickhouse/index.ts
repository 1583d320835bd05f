export { DirectoryInUse, type DirectoryLock, lockDirectory } from './embedded/directory-lock.ts'
export { chooseSocketPath } from './embedded/socket-path.ts'
export { type FrozenTable, freezeTable } from './frozen-table.ts'
export { migrateTelemetryStore, type TelemetryMigration, telemetryVersion } from './migrate.ts'
export { replicatedDdl } from './replicated-ddl.ts'
export {
	durableSettings,
	findUndurableTables,
} from './schema.ts'
export { createSideTable } from './frozen-table.ts'
export {
	type EngineAddress,
	openTelemetryStore,
	type TelemetryStore,
} from './store.ts'
export { StoreUnavailable } from './store.ts'
