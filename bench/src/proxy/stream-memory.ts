import { setTimeout as sleep } from 'node:timers/promises'
import { residentMb } from '../stage.ts'
import { openStream, openStreams } from './open-streams.ts'
import type { Subject } from './subjects.ts'

/** Memory of the program in MB. */
export interface StreamMemory {
	streams: number
	openMb: number
	/** Number of readers that read nothing of a flood, and how much the memory grew meanwhile. */
	slowReaders: number
	slowGrownMb: number
}

const streams = 1000
const slowReaders = 20
const slowMs = 5000
const fillingMs = 2000
const maxFillings = 15
const steadyMb = 0.25

export async function measureStreamMemory(ours: Subject): Promise<StreamMemory> {
	const closeFirst = await openStreams(ours, 100)
	closeFirst()
	await sleep(1000)
	const beforeMb = residentMb(ours.pid)
	const close = await openStreams(ours, streams)
	await sleep(3000)
	const openMb = residentMb(ours.pid) - beforeMb
	close()
	return { streams, openMb, slowReaders, slowGrownMb: await measureSlowReaders(ours) }
}

/**
 * Until the buffers of the sockets are full, some megabytes per reader pass through the program, and its heap keeps them until the
 * next collection, which takes seconds on a busy machine. After that nothing may grow.
 */
async function measureSlowReaders(ours: Subject): Promise<number> {
	const open = await Promise.all(Array.from({ length: slowReaders }, () => openStream(ours, 'flood')))
	for (let left = maxFillings, fullMb = 0; left > 0 && residentMb(ours.pid) > fullMb + steadyMb; left -= 1) {
		fullMb = residentMb(ours.pid)
		await sleep(fillingMs)
	}
	const beforeMb = residentMb(ours.pid)
	await sleep(slowMs)
	const grownMb = residentMb(ours.pid) - beforeMb
	for (const response of open) response.destroy()
	return grownMb
}
