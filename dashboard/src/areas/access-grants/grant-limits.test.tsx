import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { describeLimits, fromDraft, type GrantLimits, noLimits, toDraft, waitField } from './grant-limits.ts'
import { LimitsEditor } from './limits-editor.tsx'

afterEach(cleanup)

const limits: GrantLimits = {
	expires_at: '2026-12-01T10:30:00.000Z',
	constraints: { read: { required: ['path'] } },
	approval: { wipe: 'ask' },
	approver: 'caller',
	approval_wait_ms: 90_000,
	denied_hints: ['destructiveHint'],
}

test('limits that are opened and saved unchanged stay the same', () => {
	expect(fromDraft(toDraft(limits))).toEqual({ limits })
	expect(fromDraft(toDraft(noLimits))).toEqual({ limits: noLimits })
})

test('a schema that is not JSON is reported at its tool, and nothing is saved', () => {
	const result = fromDraft({ ...toDraft(noLimits), tools: { read: { schema: '{', ask: false } } })
	expect(Object.keys('errors' in result ? result.errors : {})).toEqual(['read'])
})

test('clearing a schema removes the constraint', () => {
	const draft = { ...toDraft(noLimits), tools: { read: { schema: ' ', ask: true } } }
	expect(fromDraft(draft)).toEqual({ limits: { ...noLimits, approval: { read: 'ask' } } })
})

test('describes limits in words, and whether a grant has expired', () => {
	expect(describeLimits(limits, Date.parse('2026-11-01'))).toEqual([
		'until 1 Dec 2026',
		'2 limited',
		'without some by their annotations',
	])
	expect(describeLimits(limits, Date.parse('2026-12-02'))[0]).toBe('expired 1 Dec 2026')
	expect(describeLimits(noLimits, 0)).toEqual([])
})

test('a wait is at most two minutes, and an empty field means the default', () => {
	const waitOf = (waitSeconds: string) => fromDraft({ ...toDraft(noLimits), waitSeconds })
	expect(waitOf('90')).toEqual({ limits: { ...noLimits, approval_wait_ms: 90_000 } })
	expect(waitOf('0')).toEqual({ limits: { ...noLimits, approval_wait_ms: 0 } })
	expect(waitOf(' ')).toEqual({ limits: noLimits })
	expect(waitOf('121')).toEqual({ errors: { [waitField]: 'From 0 to 120 seconds' } })
	expect(waitOf('soon')).toEqual({ errors: { [waitField]: 'From 0 to 120 seconds' } })
})

test('the editor shows the limits as they are now, also when another person has changed them', () => {
	const editorOf = (shown: GrantLimits) => (
		<LimitsEditor
			name="grant"
			limits={shown}
			tools={['read', 'wipe']}
			action="Save limits"
			busy={false}
			disabled={false}
			onSave={async () => {}}
		/>
	)
	const { rerender } = render(editorOf(noLimits))
	const ends = () => screen.getByLabelText<HTMLInputElement>(/^Ends/).value
	expect(ends()).toBe('')
	rerender(editorOf({ ...noLimits, expires_at: limits.expires_at }))
	expect(ends()).toBe(toDraft(limits).expires)
	rerender(editorOf({ ...noLimits, constraints: limits.constraints }))
	expect(ends()).toBe('')
	expect(screen.getByDisplayValue(/"path"/)).toBeDefined()
	expect(screen.queryByRole('button', { name: 'Save limits' })).toBeNull()
})
