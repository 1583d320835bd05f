import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { quantile } from './load.ts'

/** About as much as one call leaves in the log. */
const record = Buffer.alloc(1500, 1)
const everyMs = 10

/** The disk's own time for a small append and its flush, 100 times per second, in the data directory: the median in ms. */
export async function measureOneFlush(times: number): Promise<number> {
	const directory = mkdtempSync(join(tmpdir(), 'signalbox-flush-'))
	const fd = openSync(join(directory, 'log'), 'w')
	const takenMs: number[] = []
	for (let index = 0; index < times; index += 1) {
		await sleep(everyMs)
		const startedMs = performance.now()
		writeSync(fd, record)
		fdatasyncSync(fd)
		takenMs.push(performance.now() - startedMs)
	}
	closeSync(fd)
	rmSync(directory, { recursive: true })
	return quantile(
		takenMs.sort((a, b) => a - b),
		0.5,
	)
}
