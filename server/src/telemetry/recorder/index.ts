export type { FactsKind } from './call-facts.ts'
export { rowStoreOf } from './insert-missing.ts'
export { openRecorder } from './open-recorder.ts'
export type {
	AnnounceListener,
	CallLog,
	ConcludeListener,
	Intent,
	LogRecorder,
	LogSnapshot,
	Recorder,
	RecorderStats,
} from './recorder.ts'
export type { MakeRows } from './row-making.ts'
export { openShedOfAll } from './shed-of-all.ts'
export type { RowStore } from './shipper.ts'
export { isShipped, openStatsOfAll } from './stats-of-all.ts'
export { withClaims } from './with-claims.ts'
