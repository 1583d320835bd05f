export { rowStoreOf } from './insert-missing.ts'
export { openRecorder } from './open-recorder.ts'
export type { Intent, LogSnapshot, Recorder, RecorderStats } from './recorder.ts'
export type { RowStore } from './shipper.ts'
