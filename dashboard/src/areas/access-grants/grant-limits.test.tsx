import { expect, test } from 'vitest'
import { describeLimits, fromDraft, type GrantLimits, toDraft } from './grant-limits.ts'

const limits: GrantLimits = {
	expires_at: '2026-12-01T10:30:00.000Z',
	constraints: { read: { required: ['path'] } },
	approval: { wipe: 'ask' },
}

test('limits that are edited and left alone come back the same', () => {
	expect(fromDraft(toDraft(limits))).toEqual({ limits })
	const none = { expires_at: null, constraints: {}, approval: {} }
	expect(fromDraft(toDraft(none))).toEqual({ limits: none })
})

test('a schema that is no JSON is told by its tool, and nothing is saved', () => {
	const result = fromDraft({ expires: '', tools: { read: { schema: '{', ask: false } } })
	expect(Object.keys('errors' in result ? result.errors : {})).toEqual(['read'])
})

test('an emptied schema takes the constraint away', () => {
	const draft = { expires: '', tools: { read: { schema: ' ', ask: true } } }
	expect(fromDraft(draft)).toEqual({
		limits: { expires_at: null, constraints: {}, approval: { read: 'ask' } },
	})
})

test('says in words what is limited, and that a grant has expired', () => {
	expect(describeLimits(limits, Date.parse('2026-11-01'))).toEqual(['until 1 Dec 2026', '2 limited'])
	expect(describeLimits(limits, Date.parse('2026-12-02'))[0]).toBe('expired 1 Dec 2026')
	expect(describeLimits({ expires_at: null, constraints: {}, approval: {} }, 0)).toEqual([])
})
