import { expect, it } from 'vitest'
import { outcomeForBudgets, outputLimitIn } from './call-allowance.ts'

it.each([
	['chat completions', { max_completion_tokens: 70 }, 70],
	['of two the larger', { max_tokens: 90, max_completion_tokens: 70 }, 90],
	['several answers', { max_tokens: 90, n: 3 }, 270],
	['the best of several answers', { max_tokens: 90, n: 1, best_of: 4 }, 360],
	['responses', { max_output_tokens: 80 }, 80],
	['Gemini', { generationConfig: { maxOutputTokens: 60 } }, 60],
	['Gemini, several', { generation_config: { max_output_tokens: 60, candidate_count: 2 } }, 120],
	['Converse', { inferenceConfig: { maxTokens: 50 } }, 50],
	['Nova', { inferenceConfig: { max_new_tokens: 51 } }, 51],
	['Titan', { textGenerationConfig: { maxTokenCount: 40 } }, 40],
	['Llama on Bedrock', { max_gen_len: 30 }, 30],
	['Vertex predict', { parameters: { maxOutputTokens: 20, sampleCount: 4 } }, 80],
	['no limit', { n: 3, messages: [] }, null],
	['what is no count', { max_tokens: '5', generationConfig: [1], n: -1 }, null],
])('the most output that is asked for: %s', (_name, body, expected) => {
	expect(outputLimitIn(new Map(Object.entries(body)))).toBe(expected)
})

it('a call with more tokens than any call has is one of unknown tokens, of which nothing is learned', () => {
	const row = { kind: 'model_call', usageSource: 'reported', costNanoUsd: null, cacheReadTokens: 0 } as const
	const tokens = { inputTokens: 5, cacheWriteTokens: 0, outputTokens: 2, reasoningTokens: 1 }
	expect(outcomeForBudgets({ ...row, ...tokens }, '').tokens).toEqual({ input: 5, output: 3 })
	expect(outcomeForBudgets({ ...row, ...tokens, inputTokens: 1e15 }, '').tokens).toBeNull()
})
