/** The server's time less the browser's, in ms; 0 as long as no answer has told it. */
let aheadMs = 0

/**
 * A smaller difference is not worth a correction: the header has whole seconds, and the answer needs some time to arrive.
 */
const toleratedMs = 3000
/** After such a long request nobody knows when within it the answer was written. */
const tooLongMs = 2000

/** Reads the server's time from an answer to a request that was sent at the given time of the browser. */
export function noteServerTime(response: Response, sentMs: number): void {
	const nowMs = Date.now()
	const serverMs = Date.parse(response.headers.get('date') ?? '')
	if (Number.isNaN(serverMs) || Math.abs(nowMs - sentMs) > tooLongMs) return
	const differenceMs = serverMs + 500 - (sentMs + nowMs) / 2
	aheadMs = Math.abs(differenceMs) > toleratedMs ? differenceMs : 0
}

/**
 * The present time by the server's clock. All times on screens come from there, so the clock of a computer that is wrong must not decide
 * how old something is, or whether it has ended.
 */
export function serverNowMs(): number {
	return Date.now() + aheadMs
}
