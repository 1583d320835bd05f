import { expect, test } from 'vitest'
import { describePrice } from '../../lib/dimension-words.ts'
import { timeZone } from '../../lib/time-zone.ts'
import { costOf, nanoUsdOf, shownCost } from '../spotlight/figures.tsx'
import { describeScope, formatAmount, parseAmount, typedAmount } from './describe-budget.ts'
import type { Budget } from './queries.ts'

test.each([
	['5', '5000000000'],
	['0.25', '250000000'],
	['0,000000001', '1'],
	['9000000', '9000000000000000'],
])('%s dollars are %s nano-dollars, and are shown as typed', (typed, amount) => {
	expect(parseAmount(typed, 'nano_usd')).toBe(amount)
	expect(typedAmount(amount, 'nano_usd')).toBe(typed.replace(',', '.'))
})

test.each(['', '0', '0.0', '-1', '1e3', '1.0000000001', 'five'])('%j is not an amount', (typed) => {
	expect(parseAmount(typed, 'nano_usd')).toBeNull()
})

test('tokens are integers', () => {
	expect(parseAmount('1000', 'tokens')).toBe('1000')
	expect(parseAmount('9000000000000000', 'tokens')).toBe('9000000000000000')
	expect(parseAmount('1.5', 'tokens')).toBeNull()
	expect(formatAmount('1000', 'tokens')).toBe('1,000 tokens')
})

test('a sum that is not zero is not shown as zero', () => {
	const shown = ['0', '1', '100', '12345', '1234567', '100000000'].map((nano) =>
		formatAmount(nano, 'nano_usd'),
	)
	expect(shown).toEqual(['$0.00', '$0.000000001', '$0.0000001', '$0.000012', '$0.0012', '$0.10'])
})

test('a cost is unknown if no call has a price, also as a number, in a comparison and in an export', () => {
	const figures = { cost_nano_usd: '0', unpriced_calls: 1 }
	expect([costOf(figures), nanoUsdOf(figures), shownCost(figures)]).toEqual([null, null, 'unpriced'])
	expect(nanoUsdOf({ ...figures, unpriced_calls: 0 })).toBe(0)
	const ofTool = { ...figures, unpriced_calls: 0, model_calls: 0 }
	expect([shownCost(ofTool), shownCost({ ...ofTool, model_calls: 1 })]).toEqual(['–', '$0.00'])
	expect(nanoUsdOf({ ...figures, cost_nano_usd: '5' })).toBe(5)
})

test("a budget's description names its scope and its period", () => {
	const budget = {
		scope: 'agent',
		scope_id: null,
		window: 'day',
		rolling_s: null,
		time_zone: timeZone,
	} as Budget
	expect(describeScope(budget)).toBe('per agent, daily')
	expect(describeScope({ ...budget, scope: 'workspace', window: 'rolling', rolling_s: 3600 })).toBe(
		'workspace, last hour',
	)
	expect(describeScope({ ...budget, time_zone: 'Pacific/Port_Moresby' })).toBe(
		'per agent, daily in Pacific/Port Moresby',
	)
	const ofOne = { ...budget, scope_id: 'a1' }
	expect(describeScope(ofOne)).toBe('one agent, daily')
	expect(describeScope(ofOne, () => 'Nightly research')).toBe('Nightly research, daily')
})

test('the source of a price is shown without the id of an own price', () => {
	expect(describePrice('operator 01a2276a-6b94-7be7-a46d-4aa1fe000000 house-* 2026-11-21')).toBe(
		'own price for house-*',
	)
	expect(describePrice('genai-prices 0.1.8 claude-sonnet-4-5')).toBe('genai-prices 0.1.8 claude-sonnet-4-5')
	expect(describePrice(null)).toBe('–')
})
