import { setImmediate } from 'node:timers/promises'
import { JsonScan, type ScanOptions } from './json-scan.ts'

/** Of a long document: some milliseconds of work, whatever it holds. */
const turnBytes = 256 * 1024

/** Scans a whole document and gives way to others in between. Rejects with `JsonFault`. */
export async function scanInTurns(bytes: Buffer, options: ScanOptions): Promise<JsonScan> {
	const scan = new JsonScan(bytes, options)
	while (!scan.advance(turnBytes)) await setImmediate()
	return scan
}
