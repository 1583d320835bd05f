import type { EngineOptions } from './engine.ts'

/** What the parent writes as the first line of the child's standard input; the pipe then stays open. */
export interface ChildStart extends EngineOptions {
	socketPath: string
	/** The per-start key: 64 hex digits. */
	key: string
}

/** What the child writes to file descriptor 3, one JSON line each. */
export type ChildEvent = { event: 'ready'; version: string } | { event: 'failed'; message: string }

/** The Authorization header that carries the key. */
export function basicAuthorization(key: string): string {
	return `Basic ${Buffer.from(`default:${key}`).toString('base64')}`
}

/** How many bytes the rows of an insert have, which are sent in pieces. */
export const bodyBytesHeader = 'x-body-bytes'
/** The file that has these bytes, where they are not sent. */
export const bodyFileHeader = 'x-body-file'
