/** How a span ended, described for readers. Every list, filter, figure and label of outcomes is derived from this table. */
export const spanStatusMeanings = {
	ok: 'It succeeded.',
	error: 'It failed.',
	denied: 'It was refused before anything of it was sent.',
	cut: 'It was cut after it was sent, and may have taken effect.',
	interrupted: 'It has no outcome: its client left, or the program ended.',
	unset: 'Its sender did not say how it ended.',
} as const

export type SpanStatus = keyof typeof spanStatusMeanings

export const spanStatuses = Object.keys(spanStatusMeanings) as [SpanStatus, ...SpanStatus[]]

/** The statuses that `errors` counts as failures. */
export const failedStatuses = [
	'error',
	'denied',
	'cut',
	'interrupted',
] as const satisfies readonly SpanStatus[]

/** What a client is told about an interrupted call, after the reason. */
export function callCutText(why: string): string {
	const sentence = /[.!?]$/.test(why) ? why : `${why}.`
	return `${sentence} The call had been sent by then and may have taken effect.`
}
