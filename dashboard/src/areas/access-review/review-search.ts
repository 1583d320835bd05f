export type SuggestionState = 'open' | 'applied' | 'reverted'

export interface ReviewSearch {
	tab?: 'simulator'
	/** How many days back. */
	days?: number
	/** State of the suggestions to list. */
	state?: SuggestionState
}

export const daySpans = [1, 7, 30, 90]

export function parseReviewSearch({ tab, days, state }: Record<string, unknown>): ReviewSearch {
	return {
		...(tab === 'simulator' ? { tab } : {}),
		...(daySpans.includes(Number(days)) ? { days: Number(days) } : {}),
		...(state === 'applied' || state === 'reverted' ? { state } : {}),
	}
}
