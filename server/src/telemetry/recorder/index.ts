export { rowStoreOf } from './insert-missing.ts'
export { isShipped, openShedOfAll, openStatsOfAll } from './logs-of-all.ts'
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
export type { RowStore } from './shipper.ts'
export { withClaims } from './with-claims.ts'
