import { statfsSync } from 'node:fs'

/** What an operator can do about it; health, API, log and startup use this text. */
export const freesDisk =
	'delete or move other files on it, make it larger, or shorten the retention of telemetry'

/** System: no space, quota exceeded. PostgreSQL: disk_full. ClickHouse: NOT_ENOUGH_SPACE. */
const fullCodes: ReadonlyMap<unknown, 'data' | 'database' | 'telemetry'> = new Map([
	['ENOSPC', 'data'],
	['EDQUOT', 'data'],
	['53100', 'database'],
	['243', 'telemetry'],
])
/** SQLite: FULL, and IOERR_SHMSIZE when there is no space for its index of the log. */
const sqliteFull = 13
const sqliteShmSize = 4874

const diskOf = {
	data: 'The disk of the data directory is full',
	database: 'The disk of the PostgreSQL database is full',
	telemetry: 'The disk of the telemetry store is full',
}

/** The beginning of a sentence that names the full disk behind an error or its causes; null: the error has another reason. */
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

/** With less space than this, a nearby failure was most likely caused by a full disk. */
const nothingLeftBytes = 4 * 1024 * 1024

/** For a failed start or command: names the disk of the directory if it is full, otherwise null. */
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
