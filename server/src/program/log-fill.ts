import { freesDisk } from '../platform/disk-full.ts'
import type { RecorderStats } from '../telemetry/index.ts'

/** How full the telemetry log is, from 0 to 1. */
export function fillOf({ walBytes, walMaxBytes }: Pick<RecorderStats, 'walBytes' | 'walMaxBytes'>): number {
	return walBytes / walMaxBytes
}

/** The log refuses new calls a little before its limit, to keep room for the outcomes of those that run. */
export function describeLogTrouble(stats: RecorderStats): string | null {
	const { writeFailure, refusal, walBytes, walMaxBytes } = stats
	if (writeFailure) return describeWriteFailure(writeFailure)
	if (refusal) return refusal
	return fillOf({ walBytes, walMaxBytes }) > 0.9
		? 'is nearly full: the telemetry store does not keep up'
		: null
}

/** Without the path: everybody may ask for the health. */
function describeWriteFailure(reason: string): string {
	if (/ENOSPC|EDQUOT/.test(reason)) return `The disk of the data directory is full. To free it, ${freesDisk}.`
	return `cannot be written: ${reason.replace(/ '[^']*'/g, '')}`
}
