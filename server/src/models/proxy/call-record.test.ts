import { describe, expect, it } from 'vitest'
import { Problem } from '../../platform/errors.ts'
import { problemForClient } from './call-record.ts'
import { canary, useProxyStage } from './testing/proxy-stage.ts'
import { until } from './testing/start-proxy.ts'

describe('the record of a model call', () => {
	const stage = useProxyStage()

	it('a key that the provider quotes does not get into the record', async () => {
		stage.mock.intercept = (received, response) => {
			const message = `Incorrect API key provided: ${received.headers.authorization}`
			response.writeHead(401, { 'content-type': 'application/json' })
			response.end(
				JSON.stringify({ error: { message, type: 'invalid_request_error', code: 'invalid_api_key' } }),
			)
			return true
		}
		const record = await stage.lastRecord(() =>
			stage.send('POST', '/proxy/gpt/v1/chat/completions', stage.byKey(), '{"model":"m"}'),
		)
		expect(record).toMatchObject({ status: 'error', httpStatus: 401, errorType: 'invalid_request_error' })
		expect(record?.statusMessage).toContain('Incorrect API key provided')
		await until(() => stage.proxy.stored().length === stage.proxy.recorded.length)
		expect(stage.proxy.shipped()).not.toContain(canary)
	})

	it.each([
		['gpt-5.6-sol', { prompt_tokens: 1000, completion_tokens: 100 }, 200, 6_000_000n],
		['no-such-model', { prompt_tokens: 1000, completion_tokens: 100 }, 200, null],
		['gpt-5.6-sol', undefined, 200, null],
		['gpt-5.6-sol', { prompt_tokens: 0, completion_tokens: 0 }, 200, 0n],
		['gpt-5.6-sol', undefined, 429, 0n],
	])('the price of %s with %o, answered %i, is %s', async (model, usage, status, cost) => {
		stage.mock.intercept = (_received, response) => {
			response.writeHead(status, { 'content-type': 'application/json' })
			response.end(JSON.stringify({ id: 'x', model, usage }))
			return true
		}
		const send = () =>
			stage.send('POST', '/proxy/gpt/v1/chat/completions', stage.byKey(), JSON.stringify({ model }))
		expect((await stage.lastRecord(send))?.costNanoUsd).toBe(cost)
	})

	it('a call that never reached a provider costs nothing; the cost of one that broke off before its answer is unknown', async () => {
		const body = '{"model":"gpt-5.6-sol"}'
		const dead = await stage.lastRecord(() =>
			stage.send('POST', '/proxy/dead-gpt/v1/chat/completions', stage.byKey(), body),
		)
		expect(dead).toMatchObject({ errorType: 'upstream_unreachable', costNanoUsd: 0n })
		stage.mock.intercept = (_received, response) => response.destroy() === response
		const reset = await stage.lastRecord(() =>
			stage.send('POST', '/proxy/gpt/v1/chat/completions', stage.byKey(), body),
		)
		expect(reset).toMatchObject({ errorType: 'upstream_reset', usageSource: 'missing', costNanoUsd: null })
	})

	it.each([
		['of OpenAI', 404, { error: { message: 'No such model', type: 't', code: null } }, 't'],
		['with a number as code', 404, { error: { message: 'No such model', code: 404 } }, 'http_404'],
		['that is text', 404, { error: 'No such model' }, 'http_404'],
		['that is text, with a type', 422, { error: 'No such model', error_type: 'validation' }, 'validation'],
		[
			'with its members at the top',
			404,
			{ object: 'error', message: 'No such model', type: 't', code: 404 },
			't',
		],
		['of a framework', 404, { detail: 'No such model' }, 'http_404'],
		['that comes with 200', 200, { error: 'No such model' }, 'error'],
	])('the text of an error %s is recorded', async (_form, status, body, errorType) => {
		stage.mock.intercept = (_received, response) => {
			response.writeHead(status, { 'content-type': 'application/json' })
			return response.end(JSON.stringify(body)) === response
		}
		const record = await stage.lastRecord(() =>
			stage.send('POST', '/proxy/gpt/v1/chat/completions', stage.byKey(), '{"model":"m"}'),
		)
		expect(record).toMatchObject({ status: 'error', errorType, statusMessage: 'No such model' })
	})

	it.each([
		['on its own', { code: 'server_error', message: 'Try again', param: null }, 'server_error'],
		['in an object', { error: { type: 'overloaded', code: null, message: 'Try again' } }, 'overloaded'],
		['without a code', { code: null, message: 'Try again', param: null }, 'error'],
	])('an error event of a response, %s, is recorded with its type', async (_form, fields, errorType) => {
		stage.mock.intercept = (_received, response) => {
			response.writeHead(200, { 'content-type': 'text/event-stream' })
			const event = { type: 'error', sequence_number: 3, ...fields }
			return response.end(`event: error\ndata: ${JSON.stringify(event)}\n\n`) === response
		}
		const record = await stage.lastRecord(() =>
			stage.send('POST', '/proxy/gpt/v1/responses', stage.byKey(), '{"model":"m","stream":true}'),
		)
		expect(record).toMatchObject({ status: 'error', errorType, statusMessage: 'Try again' })
	})

	const page = '<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body><h1>502</h1></body></html>'
	const untitled =
		'<!doctype html><style>h1{color:red}</style><script>if (a<b) x()</script><h1>No&nbsp;capacity</h1>\n<p>Try &amp; wait'
	it.each([
		['text/html', page, '502 Bad Gateway'],
		['text/html; charset=UTF-8', untitled, 'No capacity Try & wait'],
		['text/plain', 'upstream connect error\n or reset', 'upstream connect error or reset'],
		['text/plain', '{"error":{"message":"No such model"}}', 'No such model'],
		['text/html', `<p>${'x'.repeat(100_000)}`, 'x'.repeat(500)],
		['text/html', '', ''],
	])('what an error says that is %s: %j', async (type, body, statusMessage) => {
		stage.mock.intercept = (_received, response) => {
			response.writeHead(502, { 'content-type': type })
			return response.end(body) === response
		}
		const record = await stage.lastRecord(() =>
			stage.send('POST', '/proxy/gpt/v1/chat/completions', stage.byKey(), '{"model":"m"}').catch(() => null),
		)
		expect(record).toMatchObject({ status: 'error', httpStatus: 502, statusMessage })
	})

	it('thinking in a stream counts as its first content, under either name', async () => {
		for (const thoughts of [
			{ reasoning: 'Hm, yes.' },
			{ reasoning_content: 'Hm, yes.', reasoning: 'Hm, yes.' },
		]) {
			stage.mock.intercept = (_received, response) => {
				response.writeHead(200, { 'content-type': 'text/event-stream' })
				const chunk = { id: 'x', model: 'm', choices: [{ index: 0, delta: { content: '', ...thoughts } }] }
				return response.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`) === response
			}
			const record = await stage.lastRecord(() =>
				stage.send('POST', '/proxy/gpt/v1/chat/completions', stage.byKey(), '{"model":"m","stream":true}'),
			)
			expect(record).toMatchObject({ usageSource: 'estimated', outputTokens: 2 })
			expect(record?.timeToFirstTokenNs).not.toBeNull()
		}
	})

	it('a cost reported by the provider is kept with its usage', async () => {
		const usage = {
			prompt_tokens: 10,
			completion_tokens: 2,
			cost: 0.00014,
			cost_details: { upstream_inference_cost: null },
		}
		stage.mock.intercept = (_received, response) => {
			response.writeHead(200, { 'content-type': 'application/json' })
			return response.end(JSON.stringify({ id: 'gen-1', model: 'deepseek/deepseek-r1', usage })) === response
		}
		const record = await stage.lastRecord(() =>
			stage.send('POST', '/proxy/gpt/v1/chat/completions', stage.byKey(), '{"model":"m"}'),
		)
		expect(record?.attributes.get('signalbox.usage')).toBe(JSON.stringify(usage))
		// The model has no other price, so the reported cost counts.
		expect(record).toMatchObject({ inputTokens: 10, outputTokens: 2, costNanoUsd: 140_000n })
		expect(
			record?.ledger.map(({ dimension, costNanoUsd, price }) => [dimension, costNanoUsd, price]),
		).toEqual([
			['in_text', null, ''],
			['out_text', null, ''],
			['reported_cost', 140_000n, 'reported'],
		])
	})

	it.each([
		['OpenRouter, with a key of its own', { cost: 0.00001, is_byok: true }, 10_000n],
		[
			'OpenRouter, with a key of the account at the provider',
			{ cost: 0.00001, is_byok: true, cost_details: { upstream_inference_cost: 0.0002 } },
			210_000n,
		],
		['xAI', { cost_in_usd_ticks: 37_756_000 }, 3_775_600n],
		['Perplexity', { cost: { request_cost: 0.005, total_cost: 0.006 } }, 6_000_000n],
		['OpenRouter, of a free model', { cost: 0, is_byok: false }, 0n],
		[
			'OpenRouter, without a fee, with a key of the account at the provider',
			{ cost: 0, is_byok: true, cost_details: { upstream_inference_cost: 0.0002 } },
			200_000n,
		],
		['nobody: only that there is no fee', { cost: 0, is_byok: true }, null],
		['nobody', { cost: 'much' }, null],
		['nobody, in negative dollars', { cost: -1 }, null],
	])('the cost that is reported by %s', async (_name, costs, expected) => {
		const usage = { prompt_tokens: 10, completion_tokens: 2, ...costs }
		stage.mock.intercept = (_received, response) => {
			response.writeHead(200, { 'content-type': 'application/json' })
			return response.end(JSON.stringify({ id: 'gen-1', model: 'house/unknown', usage })) === response
		}
		const record = await stage.lastRecord(() =>
			stage.send('POST', '/proxy/gpt/v1/chat/completions', stage.byKey(), '{"model":"m"}'),
		)
		expect(record?.costNanoUsd).toBe(expected)
	})

	it('a price takes precedence over the reported cost', async () => {
		const usage = { prompt_tokens: 1000, completion_tokens: 100, cost: 5 }
		stage.mock.intercept = (_received, response) => {
			response.writeHead(200, { 'content-type': 'application/json' })
			return response.end(JSON.stringify({ id: 'x', model: 'gpt-5.6-sol', usage })) === response
		}
		const record = await stage.lastRecord(() =>
			stage.send('POST', '/proxy/gpt/v1/chat/completions', stage.byKey(), '{"model":"gpt-5.6-sol"}'),
		)
		expect(record?.costNanoUsd).toBe(6_000_000n)
		expect(record?.ledger.at(-1)).toMatchObject({ dimension: 'reported_cost', costNanoUsd: 0n })
	})

	it('a call over a connection of the OpenAI-compatible kind has the name and the prices of its vendor', async () => {
		const account = { provider: 'openai_compatible', base_url: stage.mock.url, key: canary }
		const chat = async (name: string, model: string, usage: object, stream = false) => {
			stage.mock.intercept = (_received, response) => {
				const type = stream ? 'text/event-stream' : 'application/json'
				response.writeHead(200, { 'content-type': type })
				const answer = JSON.stringify({ id: 'x', model, choices: [], usage })
				return response.end(stream ? `data: ${answer}\n\ndata: [DONE]\n\n` : answer) === response
			}
			return stage.lastRecord(() =>
				stage.send(
					...(['POST', `/proxy/${name}/v1/chat/completions`] as const),
					{ ...stage.byKey(), 'content-type': 'application/json' },
					JSON.stringify({ model, stream }),
				),
			)
		}
		const add = (name: string, priced_as: string) =>
			stage.proxy.api(stage.key, 'POST', '/v1/provider-keys', { ...account, name, priced_as })
		await add('by-groq', 'groq')
		const tokens = { prompt_tokens: 1000, completion_tokens: 1000 }
		for (const stream of [false, true]) {
			const record = await chat('by-groq', 'llama-3.3-70b-versatile', tokens, stream)
			expect(record).toMatchObject({ provider: 'groq', costNanoUsd: 1_380_000n })
			expect(record?.attributes.get('gen_ai.provider.name')).toBe('groq')
			expect(record?.attributes.get('signalbox.connection.provider')).toBe('openai_compatible')
		}
		// What such providers bill is what they report, whatever their list says; an own price goes before both.
		await add('by-router', 'openrouter')
		const model = 'openai/gpt-4o'
		const listed = await chat('by-router', model, tokens)
		expect(listed).toMatchObject({ provider: 'openrouter', costNanoUsd: 12_500_000n })
		expect((await chat('by-router', model, { ...tokens, cost: 0.001 }))?.costNanoUsd).toBe(1_000_000n)
		const rates = { in_text: '1000000', out_text: '1000000' }
		const own = { provider: 'openai_compatible', model, rates }
		await stage.proxy.api(stage.key, 'POST', '/v1/prices', own)
		expect((await chat('by-router', model, { ...tokens, cost: 0.001 }))?.costNanoUsd).toBe(2000n)
	})

	it.each([undefined, 'text/plain; charset=utf-8', 'text/html'])(
		'a stream of the type %s is read as one of events where a stream was asked for',
		async (type) => {
			const usage = { prompt_tokens: 1000, completion_tokens: 100 }
			const event = { id: 'x', model: 'gpt-5.6-sol', choices: [{ delta: { content: 'Hi' } }] }
			const send = (...events: string[]) =>
				stage.lastRecord(async () => {
					stage.mock.intercept = (_received, response) => {
						response.writeHead(200, type === undefined ? {} : { 'content-type': type })
						return response.end(events.join('')) === response
					}
					const body = JSON.stringify({ model: 'gpt-5.6-sol', stream: true })
					await stage.send('POST', '/proxy/gpt/v1/chat/completions', stage.byKey(), body).catch(() => null)
				})
			const of = (value: object) => `data: ${JSON.stringify(value)}\n\n`
			const whole = await send(of(event), of({ ...event, choices: [], usage }), 'data: [DONE]\n\n')
			expect(whole).toMatchObject({ status: 'ok', usageSource: 'reported', costNanoUsd: 6_000_000n })
			expect(await send(of(event))).toMatchObject({ status: 'error', errorType: 'truncated_stream' })
		},
	)

	it.each([301, 302, 307, 308])('a redirect (%i) is neither followed nor passed on', async (status) => {
		stage.mock.intercept = (_received, response) => {
			response.writeHead(status, { location: 'https://elsewhere.example/v1/chat?key=secret' })
			return response.end() === response
		}
		const record = await stage.lastRecord(async () => {
			const sent = [
				'POST',
				'/proxy/gpt/v1/chat/completions',
				stage.byKey(),
				'{"model":"gpt-5.6-sol"}',
			] as const
			const answer = await stage.send(...sent)
			expect(answer.status).toBe(502)
			expect(answer.json.error.message).toMatch(
				/ redirects to https:\/\/elsewhere\.example\/v1\/chat\. .* base URL /,
			)
		})
		expect(stage.mock.requests).toHaveLength(1)
		expect(record).toMatchObject({ status: 'error', errorType: 'redirected', costNanoUsd: 0n })
	})

	it('a call that is cut because of outdated permissions is told so, not that they were revoked', () => {
		const problem = problemForClient({ kind: 'refused', problem: new Problem('stale_permissions') }, true)
		expect(problem).toMatchObject({ code: 'stale_permissions', status: 503 })
		expect(problem.message).toMatch(/may have taken effect/)
	})

	it('a call that is cut while its provider works costs at least its input', async () => {
		const { proxy, mock } = stage
		const agent = await proxy.addAgent(stage.agent.workspaceId)
		mock.intercept = () => true
		const record = await stage.lastRecord(async () => {
			const authorization = `Bearer ${agent.secret}`
			const calling = stage.send(
				...([
					'POST',
					'/proxy/gpt/v1/chat/completions',
					{ authorization },
					'{"model":"gpt-5.6-sol"}',
				] as const),
			)
			await until(() => mock.requests.length > 0)
			await proxy.setAgentStatus(agent.id, 'paused')
			expect((await calling).status).toBe(403)
		})
		expect(record).toMatchObject({ errorType: 'agent_not_active', usageSource: 'estimated' })
		expect(record?.costNanoUsd).toBeGreaterThan(0n)
	})

	it('the ledger has a row for each billed quantity, and its rows add up to the price', async () => {
		stage.mock.intercept = (_received, response) => {
			const details = {
				prompt_tokens_details: { cached_tokens: 400 },
				completion_tokens_details: { reasoning_tokens: 60 },
			}
			const usage = { prompt_tokens: 1000, completion_tokens: 100, ...details }
			response.writeHead(200, { 'content-type': 'application/json' })
			response.end(JSON.stringify({ id: 'x', model: 'gpt-5.6-sol', service_tier: 'flex', usage }))
			return true
		}
		const body = JSON.stringify({ model: 'gpt-5.6-sol' })
		const send = () => stage.send('POST', '/proxy/gpt/v1/chat/completions', stage.byKey(), body)
		const record = await stage.lastRecord(send)
		expect(
			record?.ledger.map(({ dimension, quantity, costNanoUsd, factor }) => [
				dimension,
				quantity,
				costNanoUsd,
				factor,
			]),
		).toEqual([
			['in_text', 600, 1_200_000n, '1/2'],
			['cache_read', 400, 80_000n, '1/2'],
			['out_text', 40, 400_000n, '1/2'],
			['out_reasoning', 60, 600_000n, '1/2'],
		])
		expect(record).toMatchObject({ costNanoUsd: 2_280_000n, costSource: 'computed' })
		expect(record?.ledger[0]?.price).toMatch(/^genai-prices \d+\.\d+\.\d+ gpt-5\.6-sol \d{4}-\d{2}-\d{2}$/)
	})

	it('tags, session, user and trace are taken from the request', async () => {
		const record = await stage.lastRecord(() =>
			stage.send(
				'POST',
				'/proxy/claude/v1/messages',
				{
					...stage.byKey(),
					traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
					tracestate: 'vendor=1',
					'x-signalbox-session-id': 'session-1',
					'x-signalbox-user-id': 'user-1',
					'x-signalbox-tags': 'team=red, nightly',
					'user-agent': 'claude-cli/2.1.90 (external, cli)',
				},
				'{"model":"m"}',
			),
		)
		expect(record).toMatchObject({
			traceId: '0af7651916cd43dd8448eb211c80319c',
			parentSpanId: 'b7ad6b7169203331',
			traceState: 'vendor=1',
			sessionId: 'session-1',
			userId: 'user-1',
			client: 'claude-cli/2.1.90',
		})
		expect(record?.attributes.get('signalbox.tag.team')).toBe('red')
		expect(record?.attributes.get('signalbox.tag.nightly')).toBe('true')
		const byBody = await stage.lastRecord(() => {
			const user_id = JSON.stringify({ device_id: 'd', account_uuid: 'a1', session_id: 's-2' })
			return stage.send(
				'POST',
				'/proxy/claude/v1/messages',
				stage.byKey(),
				JSON.stringify({ model: 'm', metadata: { user_id } }),
			)
		})
		expect(byBody).toMatchObject({ sessionId: 's-2', userId: 'a1' })
	})

	it('every call was recorded exactly once, under its own id, without the key of the provider', () =>
		stage.expectSoundRecords())
})
