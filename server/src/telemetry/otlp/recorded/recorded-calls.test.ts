import { expect, test } from 'vitest'
import type { SpanRow } from '../../span-row.ts'
import { recordedCalls, spansOf } from './spans-of.testing.ts'

const isCall = ({ kind }: SpanRow) => kind === 'model_call' || kind === 'tool_call'

function figuresOf(span: SpanRow): [string, string] {
	if (span.kind === 'tool_call') return [span.toolName, '']
	const { inputTokens, cacheReadTokens, outputTokens, reasoningTokens, costNanoUsd } = span
	const tokens = [inputTokens, cacheReadTokens, outputTokens, reasoningTokens].join('/')
	const model = (span.modelRequested || span.model).replace(/-2026-10-01$/, '')
	return [model, `${tokens} ${costNanoUsd ?? 'unpriced'}`]
}

test.each(Object.entries(recordedCalls))(
	'the calls of %s are reported once, with their tokens and price',
	(file, calls) => {
		expect(spansOf(file).filter(isCall).map(figuresOf)).toEqual(calls)
	},
)

test.each([
	['python-laminar.pb', 'lmnr-session'],
	['python-langfuse-openai.pb', 'lf-session'],
	['python-strands.pb', 'strands-anthropic'],
])('the calls of %s have the session and the user that it reports', (file, sessionId) => {
	expect(spansOf(file)).toContainEqual(
		expect.objectContaining({ kind: 'tool_call', sessionId, userId: 'user-1' }),
	)
})

test.each([
	['python-openlit.pb', 410_693_884n],
	['python-strands.pb', 321_000_000n],
	['js-vercel-7.pb', 78_141_894n],
])('%s reports when an answer began', (file, timeToFirstTokenNs) => {
	expect(spansOf(file)).toContainEqual(expect.objectContaining({ timeToFirstTokenNs }))
})
