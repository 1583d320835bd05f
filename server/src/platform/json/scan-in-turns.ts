import { setImmediate } from 'node:timers/promises'
import { JsonScan, type ScanOptions } from './json-scan.ts'

/** Bytes per step: some milliseconds of work, whatever the document contains. */
const turnBytes = 256 * 1024

/** Scans a whole document and yields to the event loop in between. Rejects with `JsonFault`. */
export async function scanInTurns(bytes: Buffer, options: ScanOptions): Promise<JsonScan> {
	const scan = new JsonScan(bytes, options)
	while (!scan.advance(turnBytes)) await setImmediate()
	return scan
}
