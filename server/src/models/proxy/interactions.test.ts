import { describe, expect, it } from 'vitest'
import { useClientStage } from './testing/client-stage.ts'
import { readAnswer } from './testing.ts'

const model = 'gemini-2.5-flash'
const usage = {
	...{ total_input_tokens: 1000, total_cached_tokens: 600, total_output_tokens: 30 },
	...{ total_thought_tokens: 20, total_tool_use_tokens: 0, total_tokens: 1050 },
	input_tokens_by_modality: [{ modality: 'text', tokens: 1000 }],
}
const tokens = { inputTokens: 400, cacheReadTokens: 600, outputTokens: 30, reasoningTokens: 20 }
const called = { type: 'function_call', id: 'call_1', name: 'weather', arguments: { city: 'Zürich' } }
const steps = [
	{ type: 'thought', signature: 'x' },
	{ type: 'model_output', content: [{ type: 'text', text: 'It is sunny.' }] },
	called,
]

describe("Gemini's interactions API", () => {
	const stage = useClientStage(({ connect, mock }) =>
		connect({ name: 'gemini', provider: 'gemini', key: 'AIza-stored', base_url: mock.url }),
	)
	const ask = (method: string, path: string, body?: unknown, secret = stage.agent.secret) =>
		fetch(`${stage.proxy.url}/proxy/gemini/v1/interactions${path}`, {
			method,
			headers: { 'x-goog-api-key': secret },
			...(body !== undefined && { body: JSON.stringify(body) }),
		})
	/** Makes the mock answer with this interaction, or with a stream of these events. */
	const answer = (given: object | readonly object[]) => {
		stage.mock.intercept = (_received, response) => {
			const isStream = Array.isArray(given)
			response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' })
			const text = isStream
				? given.map((event) => `event: ${event.event_type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
				: JSON.stringify(given)
			return response.end(text) === response
		}
	}

	it('records tokens, and assigns an interaction to the session of the one that it continues', async () => {
		answer({ id: 'v1_first', model, status: 'requires_action', steps, usage })
		const first = await stage.recordOf(() => ask('POST', '', { model, input: 'Wetter?' }))
		expect(first).toMatchObject({
			...tokens,
			kind: 'model_call',
			name: `interactions ${model}`,
			status: 'ok',
		})
		expect(first).toMatchObject({ usageSource: 'reported', costNanoUsd: 263_000n })
		answer({ id: 'v1_second', model, status: 'completed', steps, usage })
		const result = { type: 'function_result', call_id: 'call_1', name: 'weather', result: 'warm' }
		const going = { model, input: [result], previous_interaction_id: 'v1_first' }
		const second = await stage.recordOf(() => ask('POST', '', going))
		expect(second.sessionId).toBe(first.sessionId)
		expect(first.sessionId).toMatch(/^inferred:/)
	})

	it("records the figures of a stream's last event, and a missing end as a typed error", async () => {
		const begun = [
			{ event_type: 'interaction.created', interaction: { id: 'v1_s', model, status: 'in_progress' } },
			{ event_type: 'step.start', index: 0, step: { type: 'model_output' } },
			{ event_type: 'step.delta', index: 0, delta: { type: 'text', text: 'It is sunny.' } },
			{ event_type: 'step.stop', index: 0 },
		]
		const completed = { id: 'v1_s', model, status: 'completed', usage }
		answer([...begun, { event_type: 'interaction.completed', interaction: completed }])
		const row = await stage.recordOf(() => ask('POST', '', { model, input: 'Hallo', stream: true }))
		expect(row).toMatchObject({ ...tokens, status: 'ok', usageSource: 'reported' })
		expect(row.timeToFirstTokenNs).toBeGreaterThan(0n)
		answer(begun)
		let read = { text: '', isCut: false }
		const broken = await stage.recordOf(async () => {
			read = await readAnswer(await ask('POST', '', { model, input: 'Hallo', stream: true }))
		})
		expect(read.isCut).toBe(true)
		expect(read.text).toMatch(/event: error\ndata: \{"event_type":"error","error":\{[^\n]+\n\n$/)
		expect(broken).toMatchObject({ status: 'error', usageSource: 'estimated' })
	})

	it('opens interactions and their environments to the agent that created them only', async () => {
		answer({ id: 'v1_mine', agent: 'a', status: 'completed', environment_id: 'env-mine', usage })
		const made = await stage.recordOf(() => ask('POST', '', { agent: 'deep-research', input: 'x' }))
		expect(made.modelRequested).toBe('deep-research')
		for (const [secret, status] of [
			[stage.agent.secret, 200],
			[stage.other.secret, 404],
		] as const) {
			const statusOf = async (method: string, path: string, body?: unknown) =>
				(await ask(method, path, body, secret)).status
			for (const named of [
				{ previous_interaction_id: 'v1_mine' },
				{ previousInteractionId: 'v1_mine' },
				{ environment: 'env-mine' },
				{ environment: { type: 'remote', environment_id: 'env-mine' } },
			])
				expect(await statusOf('POST', '', { model, input: 'x', ...named })).toBe(status)
			expect(await statusOf('POST', '', { model, input: 'x', environment: 'remote' })).toBe(200)
			expect(await statusOf('GET', '/v1_mine')).toBe(status)
			expect(await statusOf('POST', '/v1_mine/cancel', {})).toBe(status)
			expect(await statusOf('DELETE', '/v1_mine')).toBe(status)
			expect(await statusOf('GET', '')).toBe(403)
		}
		const doubled = await fetch(`${stage.proxy.url}/proxy/gemini/v1beta/interactions`, {
			method: 'POST',
			headers: { 'x-goog-api-key': stage.other.secret },
			body: '{"previous_interaction_id":"v1_mine","previous_interaction_id":""}',
		})
		expect(doubled.status).toBe(400)
	})

	it('records the usage of a background interaction once, when it is read', async () => {
		answer({ id: 'v1_later', model, status: 'in_progress' })
		const begun = await stage.recordOf(() => ask('POST', '', { model, input: 'x', background: true }))
		expect(begun).toMatchObject({ kind: 'other', costNanoUsd: null })
		answer({ id: 'v1_later', model, status: 'completed', steps, usage })
		await ask('GET', '/v1_later')
		await ask('GET', '/v1_later')
		const results = () => stage.proxy.recorded.filter(({ name }) => name === `background_response ${model}`)
		await expect.poll(() => results().length, { timeout: 10_000 }).toBe(1)
		expect(results()[0]).toMatchObject({ ...tokens, traceId: begun.traceId, costNanoUsd: 263_000n })
	})
})
