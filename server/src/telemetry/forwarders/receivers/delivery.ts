/** What became of some rows that were sent. */
export type Outcome =
	/** Taken, but for as many as were refused for good. */
	| { kind: 'taken'; refused: number; reason: string | null }
	/** The same rows are to be sent again: not before `afterMs` from now, where the receiver says so. */
	| Later

export interface Later {
	kind: 'later'
	error: string
	afterMs: number | null
}

/** At most 500 characters that every store can hold. */
export function shortText(text: string): string {
	return text.slice(0, 500).toWellFormed().replaceAll('\0', '\uFFFD')
}

export function textOfError(error: unknown, timeoutMs: number): string {
	const { name, message, code } = error as Error & { code?: string }
	if (name === 'TimeoutError') return `No answer within ${timeoutMs / 1000} s.`
	return shortText(
		code && !message.includes(code) ? `${code}: ${message}` : message || 'The connection failed.',
	)
}
