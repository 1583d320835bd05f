import { readPlainResult } from '../../mcp-client/index.ts'

/** A tool result in the bytes that the server sent. */
export interface PlainAnswer {
	result: Buffer
	/** Whether it can be sent to the client unchanged: the tool succeeded, and nothing else is in the message. */
	isPlain: boolean
	/** Whether the result has no members. */
	isEmpty: boolean
	/** Whether the result has a `resultType`, which says that it is complete. */
	hasResultType: boolean
}

/** The answer to the request with this ID; null if the bytes are anything else. */
export function readJsonAnswer(bytes: Buffer, id: number): PlainAnswer | null {
	const response = readPlainResult(bytes)
	if (!response || response.id !== id) return null
	const { raw } = response
	let isPlain = true
	let hasResultType = false
	for (const member of raw.members)
		if (member.name === 'isError') isPlain &&= raw.textAt(member) === 'false'
		else if (member.name === 'resultType') {
			hasResultType = true
			isPlain &&= raw.textAt(member) === '"complete"'
		} else if (member.name === 'structuredContent') isPlain &&= raw.isObjectAt(member)
		else if (member.name === 'task' || member.name === 'requestState') isPlain = false
	return { result: raw.bytes, isPlain, isEmpty: raw.members.length === 0, hasResultType }
}

const lineFeed = 0x0a
const carriageReturn = 0x0d

/**
 * The same for the first message of an event stream: `more` bytes are needed, or the stream is anything `other`, which the stream
 * reader handles.
 */
export function readEventAnswer(bytes: Buffer, id: number): PlainAnswer | 'more' | 'other' {
	let data: Buffer | null = null
	for (let from = 0; ; ) {
		const end = bytes.indexOf(lineFeed, from)
		if (end < 0) return 'more'
		const line = bytes.subarray(from, end > from && bytes[end - 1] === carriageReturn ? end - 1 : end)
		from = end + 1
		if (line.length === 0) {
			if (data && data.length > 0) return readJsonAnswer(data, id) ?? 'other'
			data = null
		} else if (line.toString('latin1', 0, 5) === 'data:') {
			if (data) return 'other'
			data = line.subarray(line[5] === space ? 6 : 5)
		} else if (
			line.toString('latin1', 0, 6) === 'event:' &&
			!/^event: ?message$/.test(line.toString('latin1'))
		)
			return 'other'
		// A carriage return alone may end a line.
		if (line.includes(carriageReturn)) return 'other'
	}
}

const space = 0x20
