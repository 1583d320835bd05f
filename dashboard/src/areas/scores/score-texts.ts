import type { Score } from './queries.ts'

export const sourceTexts: Record<NonNullable<Score['source']>, string> = {
	person: 'a person',
	model: 'a model',
	code: 'a program',
	end_user: 'an end user',
}

/** The value of a score as a word or a number; '' for a comment alone. */
export function valueText({ value }: Pick<Score, 'value'>): string {
	if (value === null) return '–'
	if (typeof value === 'boolean') return value ? 'yes' : 'no'
	return typeof value === 'number' ? numberText(value) : value
}

export function numberText(value: number | null): string {
	return value === null ? '–' : value.toLocaleString('en-US', { maximumFractionDigits: 3 })
}
