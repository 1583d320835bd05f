export { DirectoryInUse, type DirectoryLock, lockDirectory } from './embedded/directory-lock.ts'
export { chooseSocketPath } from './embedded/supervisor.ts'
export { createSideTable, type FrozenTable, freezeTable } from './frozen-table.ts'
export {
	durableSettings,
	findUndurableTables,
	migrateTelemetryStore,
	replicatedDdl,
	type TelemetryMigration,
	telemetryVersion,
} from './migrate.ts'
export {
	type EngineAddress,
	openTelemetryStore,
	StoreUnavailable,
	type TelemetryStore,
} from './store.ts'
