import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { recordedCalls, spansOf } from './spans-of.testing.ts'

const who = { sessionId: 'session-1', userId: 'user-1' }
const tokens = { inputTokens: 400, cacheReadTokens: 600, outputTokens: 30, reasoningTokens: 20 }
const model = { kind: 'model_call', usageSource: 'reported', provider: 'openai' }
const asked = { modelRequested: 'gpt-5.6-sol', model: 'gpt-5.6-sol-2026-10-01' }
/** A span around a model call. Its tokens must not be counted again. */
const around = { kind: 'other', inputTokens: 0, outputTokens: 0 }
const planned = (sessionId: string) => [
	{
		...{ name: 'tools/call search', kind: 'tool_call', toolName: 'search', status: 'error', otlpKind: 3 },
		...{ dialect: 'mcp', statusMessage: 'no such index' },
	},
	{ name: 'invoke_agent planner', kind: 'other', sessionId, status: 'unset' },
]

const expected: Record<string, object[]> = {
	'go-exporter.pb': planned('go-session'),
	'python-exporter.pb': planned('python-session'),
	'python-openinference-openai.pb': [{ ...model, ...tokens, ...who, ...asked, dialect: 'openinference' }],
	'python-openllmetry-openai.pb': [{ ...model, ...tokens, ...asked, dialect: 'gen_ai' }],
	'js-openinference.pb': [{ ...model, ...tokens, ...asked, dialect: 'openinference' }],
	'js-traceloop-1.pb': [{ ...model, ...asked, ...who, inputTokens: 1000, outputTokens: 50 }],
	'js-traceloop-2.pb': [{ ...around, ...who, dialect: 'traceloop', name: 'sky.workflow' }],
	'js-vercel-1.pb': [{ ...model, ...tokens, ...asked, ...who, dialect: 'vercel' }],
	'js-vercel-2.pb': [{ ...around, ...who, dialect: 'vercel' }],
	'js-langfuse.json': [
		{ ...around, ...who, dialect: 'langfuse', name: 'planner' },
		{ ...tokens, ...who, kind: 'model_call', dialect: 'langfuse', modelRequested: 'gpt-5.6-sol' },
	],
	'js-openlit.json': [
		{ ...model, ...asked, ...tokens, dialect: 'openlit', outputTokens: 50, reasoningTokens: 0 },
	],
}

test.each(Object.entries(expected))('the spans of %s are mapped correctly', (file, spans) => {
	expect(spansOf(file)).toEqual(spans.map((span) => expect.objectContaining(span)))
})

test('every recording is tested', () => {
	const files = readdirSync(new URL('.', import.meta.url)).filter((file) => /\.(pb|json)$/.test(file))
	const elsewhere = ['claude-code.json', 'codex.json', 'gemini-cli.json']
	expect(files.sort()).toEqual([...Object.keys(expected), ...Object.keys(recordedCalls), ...elsewhere].sort())
})

test('attributes of every type come from Go and Python as they were set', () => {
	for (const file of ['go-exporter.pb', 'python-exporter.pb']) {
		const [call] = spansOf(file)
		expect(Object.fromEntries(call?.attributes ?? [])).toMatchObject({
			count: 2n ** 60n,
			ratio: 0.5,
			ok: true,
		})
		expect(call?.events).toContain('no such index')
		expect(JSON.parse(call?.links ?? '')).toHaveLength(1)
	}
})
