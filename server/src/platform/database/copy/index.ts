export { type ControlRow, type ControlSnapshot, openControlSnapshot } from './control-snapshot.ts'
export {
	loadControlStore,
	requireEmptyControlStore,
	requireKnownMigrations,
} from './load-control-store.ts'
