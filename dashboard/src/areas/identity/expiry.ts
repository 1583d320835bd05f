export const expiries = [
	{ value: '', label: 'Never' },
	{ value: '30', label: 'In 30 days' },
	{ value: '90', label: 'In 90 days' },
	{ value: '365', label: 'In a year' },
] as const

/** The time that is the chosen number of days ahead; null: never. */
export function toExpiry(days: string, nowMs: number): string | null {
	return days === '' ? null : new Date(nowMs + Number(days) * 86_400_000).toISOString()
}
