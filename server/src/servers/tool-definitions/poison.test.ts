import { describe, expect, it } from 'vitest'
import { keepApproved } from './compare/narrowing.ts'
import type { ToolDefinition } from './definition.ts'
import { changedCorpus, hiddenCorpus, type Poisoned } from './fixtures/poison.testing.ts'
import { hashDefinition, scanDefinition } from './scan/scan-definition.ts'
import { evaluateDefinition } from './settle-tools.ts'

const hidden = hiddenCorpus()
const changed = changedCorpus()
const all = [...hidden, ...changed]
const isRename = ({ before, after }: Poisoned) => before.name !== after.name

function evaluate(policy: 'keep-approved' | 'suspend', poisoned: Poisoned) {
	const { before, after } = poisoned
	const approved = isRename(poisoned) ? null : before
	return evaluateDefinition({
		policy,
		hash: hashDefinition(after),
		approvedHash: approved && hashDefinition(approved),
		rejected: false,
		current: after,
		approved,
		hides: scanDefinition(after).some(({ severity }) => severity === 'high'),
		held: true,
		firstSight: false,
	})
}

describe('the poison corpus', () => {
	it('has at least 200 definitions, each different from the approved one', () => {
		expect(all.length).toBeGreaterThanOrEqual(250)
		for (const { how, before, after } of all)
			expect([how, hashDefinition(after)]).not.toEqual([how, hashDefinition(before)])
	})

	it('is suspended entirely if every change waits for approval', () => {
		const missed = all.filter((poisoned) => evaluate('suspend', poisoned).state !== 'suspended')
		expect(missed.map(({ how }) => how)).toEqual([])
	})

	it('reaches no agent if the approved definition is kept', () => {
		const states = all.map((poisoned) => ({ ...poisoned, ...evaluate('keep-approved', poisoned) }))
		expect(states.filter(({ state }) => state === 'open').map(({ how }) => how)).toEqual([])
		const kept = states.filter(({ state }) => state === 'kept')
		for (const { how, before, after } of kept) {
			const served = keepApproved(before, after)
			expect([how, isSafe(before, served)]).toEqual([how, true])
		}
		expect(kept.length).toBeGreaterThan(100)
	})

	it('is flagged if it hides text or commands the model: at least 95 of 100', () => {
		const missed = hidden.filter(({ after }) => scanDefinition(after).length === 0)
		expect(missed.length / hidden.length, missed.map(({ how }) => how).join('\n')).toBeLessThanOrEqual(0.05)
	})
})

/** Whether agents see what was approved, except for an omitted output schema and more cautious hints. */
function isSafe(approved: ToolDefinition, served: ToolDefinition): boolean {
	const text = (tool: ToolDefinition) =>
		JSON.stringify({ ...tool, outputSchema: undefined, annotations: undefined })
	const hints = { ...(approved.annotations as object), ...(served.annotations as object) } as Record<
		string,
		unknown
	>
	const sameOutput =
		served.outputSchema === undefined ||
		JSON.stringify(served.outputSchema) === JSON.stringify(approved.outputSchema)
	return (
		text(approved) === text(served) &&
		sameOutput &&
		hints.title === (approved.annotations as Record<string, unknown> | undefined)?.title
	)
}
