import { expect, it } from 'vitest'
import { evaluateCondition, spotlightPath } from './read-saved-view.ts'

const of = (value: number | null, before: number | null = null, calls = 9) => ({ value, before, calls })

it.each([
	['above', 5, of(5), 'ok'],
	['above', 5, of(5.1), 'firing'],
	['below', 5, of(5), 'ok'],
	['below', 5, of(0), 'firing'],
	['rise', 50, of(149, 100), 'ok'],
	['rise', 50, of(150, 100), 'firing'],
	['rise', 50, of(10, 100), 'ok'],
	['rise', 15, of(115, 100), 'firing'],
	['fall', 10, of(45, 50), 'firing'],
	['fall', 50, of(50, 100), 'firing'],
	['fall', 50, of(51, 100), 'ok'],
	['no_data', 0, of(3), 'ok'],
	['no_data', 0, of(null, null, 0), 'firing'],
] as const)('%s %d of %o is %s', (condition, threshold, measured, status) => {
	expect(evaluateCondition(condition, threshold, measured).status).toBe(status)
})

it('has no result without data, or without data to compare with', () => {
	expect(evaluateCondition('above', 0, of(null))).toEqual({ status: 'no_data', value: null })
	for (const before of [null, 0]) expect(evaluateCondition('rise', 10, of(5, before)).status).toBe('no_data')
})

it('an address has every condition of a filter', () => {
	const filter = { tool: 'search', filter: ['duration_ms>=500', 'service=a,b'] }
	const { searchParams } = new URL(spotlightPath({ read: 'errors', range: '1h', filter }), 'http://x')
	expect(searchParams.get('tool')).toBe('search')
	expect(JSON.parse(searchParams.get('filter') ?? '')).toEqual(filter.filter)
})
