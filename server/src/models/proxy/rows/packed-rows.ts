import {
	type CallBatch,
	type MadeRows,
	madeBytes,
	type RowsOfFormat,
	writeMadeRows,
} from '../../../telemetry/call-rows/index.ts'

/** Many calls in few objects: each object of a message costs both threads as much as a small record. */
export interface PackedBatch extends Omit<CallBatch, 'calls'> {
	/** For each call its workspace, by its place among `workspaces`, and where its two records lie. */
	places: Float64Array<ArrayBuffer>
	workspaces: readonly string[]
}

export const numbersOfCall = 7

export function packBatch({ calls, ...batch }: CallBatch): PackedBatch {
	const workspaces = [...new Set(calls.map(({ workspaceId }) => workspaceId))]
	const places = new Float64Array(calls.length * numbersOfCall)
	for (const [at, { workspaceId, announced, ended }] of calls.entries())
		places.set(
			[
				workspaces.indexOf(workspaceId),
				...[announced.segment, announced.at, announced.bytes],
				...[ended.segment, ended.at, ended.bytes],
			],
			at * numbersOfCall,
		)
	return { ...batch, places, workspaces }
}

/** The rows of many calls, one behind the other. */
export interface PackedRows {
	bytes: Uint8Array<ArrayBuffer>
	/** For each call how many bytes, or -1 where nothing can be read of it, and how many rows. */
	sizes: Float64Array<ArrayBuffer>
}

/** Null: nothing can be read of the call. */
export function packRows(made: readonly (readonly RowsOfFormat[] | null)[]): PackedRows {
	const all = made.map((parts) => (parts ? madeBytes(parts) : 0))
	const bytes = new Uint8Array(all.reduce((sum, size) => sum + size, 0))
	const target = Buffer.from(bytes.buffer)
	const sizes = new Float64Array(made.length * 2)
	let end = 0
	for (const [at, parts] of made.entries()) {
		const rows = parts?.reduce((sum, { count }) => sum + count, 0) ?? 0
		sizes.set([parts ? (all[at] as number) : -1, rows], at * 2)
		if (parts) end = writeMadeRows(parts, target, end)
	}
	return { bytes, sizes }
}

export function unpackRows({ bytes, sizes }: PackedRows): (MadeRows | null)[] {
	const made: (MadeRows | null)[] = []
	let from = 0
	for (let at = 0; at < sizes.length; at += 2) {
		const length = sizes[at] as number
		if (length < 0) made.push(null)
		else made.push({ count: sizes[at + 1] as number, bytes: bytes.subarray(from, from + length) })
		from += Math.max(0, length)
	}
	return made
}
