import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Estimates, outputLimitOf } from './spending.ts'

it.each([
	['gpt-4o-2024-11-20', 16_384],
	['openai/gpt-5.6-sol', 128_000],
	['claude-opus-5', 128_000],
	['claude-opus-4-20250514', 32_000],
	['claude-opus-4-5-20251101', 64_000],
	['eu.anthropic.claude-3-haiku-20240307-v1:0', 4_096],
	['anthropic.claude-sonnet-4-20250514-v1:0', 64_000],
	['gemini-2.5-pro', 65_536],
	['amazon.nova-pro-v1:0', 10_000],
	['my-own-model', null],
])('the longest answer of %s', (model, expected) => {
	expect(outputLimitOf(model)).toBe(expected)
})

it('an answer is expected to need a quarter more than the largest of the last 64, after eight', () => {
	const tokens = fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 1, maxLength: 200 })
	const known = { connection: 'c', keyId: 'k', model: 'm', requestBytes: 1000, inputTokens: 10 }
	fc.assert(
		fc.property(tokens, (all) => {
			const estimates = new Estimates()
			for (const [at, outputTokens] of all.entries()) {
				estimates.learn({ ...known, outputTokens })
				const largest = Math.max(...all.slice(0, at + 1).slice(-64))
				const expected = at < 7 ? 4096 : largest + Math.ceil(largest / 4)
				expect(estimates.outputTokens('k', 'm', null)).toBe(expected)
			}
		}),
		{ numRuns: 50 },
	)
})
