export { lockDirectory } from './embedded/directory-lock.ts'
export { EngineUnsupported } from './embedded/platform-support.ts'
export { migrateTelemetryStore, type TelemetryMigration, TelemetrySchemaError } from './migrate.ts'
export type { QueryParameters } from './query-parameters.ts'
export {
	type DurableSettingsOptions,
	durableSettings,
	findUndurableTables,
	type MergeTreeEngine,
	onCluster,
	type SchemaTarget,
	tableEngine,
} from './schema.ts'
export {
	openTelemetryStore,
	type RowBinaryInsert,
	type StoreState,
	type TelemetryStore,
	type TelemetryStoreOptions,
} from './store.ts'
export { StoreUnavailable } from './store-unavailable.ts'
