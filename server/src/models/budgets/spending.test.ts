import { expect, it } from 'vitest'
import { outputLimitOf } from './spending.ts'

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
