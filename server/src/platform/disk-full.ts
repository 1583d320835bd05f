import { statfsSync } from 'node:fs'

/** What an operator can do, in the words of health, API, log and start. */
export const freesDisk =
	'delete or move other files on it, make it larger, or shorten the retention of telemetry'

/** Of the system: no space, quota used up. Of PostgreSQL: disk_full. Of ClickHouse: NOT_ENOUGH_SPACE. */
const fullCodes: ReadonlyMap<unknown, 'data' | 'database' | 'telemetry'> = new Map([
	['ENOSPC', 'data'],
	['EDQUOT', 'data'],
	['53100', 'database'],
	['243', 'telemetry'],
])
/** Of SQLite: FULL, and IOERR_SHMSIZE, which it answers when its index of the journal finds no room. */
const sqliteFull = 13
const sqliteShmSize = 4874

const diskOf = {
	data: 'The disk of the data directory is full',
	database: 'The disk of the PostgreSQL database is full',
	telemetry: 'The disk of the telemetry store is full',
}

/** Which disk an error, or what caused it, found full, as the beginning of a sentence; null: it is about something else. */
export function describeFullDisk(error: unknown): string | null {
	for (let each = error; each instanceof Error; each = each.cause) {
		const { code, errcode } = each as { code?: unknown; errcode?: unknown }
		const disk = fullCodes.get(code)
		if (disk) return diskOf[disk]
		if (typeof errcode === 'number' && ((errcode & 0xff) === sqliteFull || errcode === sqliteShmSize))
			return diskOf.data
	}
	return null
}

/** So little is left of a disk that a failure nearby is most likely its. */
const nothingLeftBytes = 4 * 1024 * 1024

/** For a start or command that failed: names the disk of the directory when it is full; else null. */
export function explainFullDisk(error: unknown, directory: string): string | null {
	const free = freeBytesOf(directory)
	const described = describeFullDisk(error)
	if (described === null && (free === null || free >= nothingLeftBytes)) return null
	if (described !== null && described !== diskOf.data) return `${described}.`
	const left = free === null ? '' : ` (${Math.floor(free / 1024)} KiB are left)`
	return `The disk that ${directory} is on is full${left}. To free it, ${freesDisk}; then start again.`
}

/** Null when the directory does not exist. */
function freeBytesOf(directory: string): number | null {
	try {
		const { bavail, bsize } = statfsSync(directory)
		return bavail * bsize
	} catch {
		return null
	}
}
