import type { RecorderStats } from './telemetry/index.ts'

/** How full the telemetry log is, from 0 to 1. */
export function fillOf({ walBytes, walMaxBytes }: Pick<RecorderStats, 'walBytes' | 'walMaxBytes'>): number {
	return walBytes / walMaxBytes
}

/** The log refuses new calls a little before its limit, to keep room for the outcomes of those that run. */
export function describeLogTrouble({ writeFailure, walBytes, walMaxBytes }: RecorderStats): string | null {
	if (writeFailure) return writeFailure
	return fillOf({ walBytes, walMaxBytes }) > 0.9
		? 'is nearly full: the telemetry store does not keep up'
		: null
}
