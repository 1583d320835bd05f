export { openRecorder } from './open-recorder.ts'
export type { Intent, LogFile, LogSnapshot, Recorder, RecorderStats } from './recorder.ts'
export type { RowStore } from './shipper.ts'
