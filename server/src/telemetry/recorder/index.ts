export { openRecorder, type RecorderOptions, type RecorderTuning } from './open-recorder.ts'
export type { EncodedRows, Intent, Recorder, RecorderStats } from './recorder.ts'
export type { RowStore } from './shipper.ts'
