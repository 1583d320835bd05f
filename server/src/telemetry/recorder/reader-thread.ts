import { parentPort, workerData } from 'node:worker_threads'
import '../../platform/json/escaped-keys.ts'
import { WorkSlices } from '../../platform/clock.ts'
import { Unreadable } from '../blocks/block.ts'
import type { ReadFailure, ReadRequest } from './log-reader.ts'
import { BatchMemory, findMiddle, readBatch, readRecords, writeNewest } from './read-batch.ts'
import { replaySegments } from './replay-segments.ts'

// Reads the log back in a separate thread from the one that writes it, so that a large read does not delay a flush.

const { directory } = workerData as { directory: string }
const memory = new BatchMemory()

/** As when the rows of calls are built: a small batch yields the core, so that no incoming call waits for the whole batch. */
const sliceMs = 0.5
/** What 500 calls produce in a second. With more, calls find the core busy anyway. */
const maxSlicedBytes = 4 * 1024 * 1024

parentPort?.on('message', ({ id, request }: { id: number; request: ReadRequest }) => {
	try {
		const result = answer(request)
		parentPort?.postMessage({ id, result, error: null })
	} catch (error) {
		parentPort?.postMessage({
			id,
			result: null,
			error: failureOf(error),
		})
	}
})

function failureOf(error: unknown): ReadFailure {
	if (error instanceof Unreadable) return { message: error.message, type: error.type }
	return { message: error instanceof Error ? error.message : String(error) }
}

function answer(request: ReadRequest): unknown {
	if (request.name === 'replay') return replaySegments(directory, request.segments)
	if (request.name === 'batch') {
		const isSmall = request.range.to - request.range.from <= maxSlicedBytes
		return readBatch(directory, request.range, memory, isSmall ? new WorkSlices(sliceMs) : null)
	}
	if (request.name === 'middle') return findMiddle(directory, request.range)
	if (request.name === 'newest') return writeNewest(directory, request.newest, memory.source)
	return readRecords(directory, request.range)
}
