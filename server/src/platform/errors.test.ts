import { expect, it } from 'vitest'
import { Problem } from './errors.ts'

const framesOf = ({ stack = '' }: Error) => stack.split('\n').filter((line) => line.startsWith('    at '))

it('keeps the stack of an internal fault, but not of a refusal', () => {
	expect(framesOf(new Problem('internal')).length).toBeGreaterThan(0)
	expect(framesOf(new Problem('recorder_full'))).toEqual([])
	const refusal = new Problem('not_found', 'There is no such agent.', { cause: new Error('why') })
	expect(framesOf(refusal)).toEqual([])
	expect([refusal.message, refusal.status, (refusal.cause as Error).message]).toEqual([
		'There is no such agent.',
		404,
		'why',
	])
	expect(framesOf(new Error('of others')).length).toBeGreaterThan(0)
})
