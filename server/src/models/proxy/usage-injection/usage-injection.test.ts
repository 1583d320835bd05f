import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { randomCases } from '../../../platform/random-cases.testing.ts'
import { useProxyStage } from '../testing/proxy-stage.ts'
import { UsageStrip } from './ask-for-usage.ts'

const stage = useProxyStage()

describe('a connection that injects usage', () => {
	beforeAll(async () => {
		const account = { provider: 'openai', base_url: stage.mock.url, key: 'sk-x', inject_usage: true }
		const made = await stage.proxy.api(stage.key, 'POST', '/v1/provider-keys', { name: 'inject', ...account })
		expect(made.json.inject_usage).toBe(true)
		const route = { name: 'way', targets: [{ connection: 'inject', model: 'other' }] }
		expect((await stage.proxy.api(stage.key, 'POST', '/v1/routes', route)).status).toBe(201)
	})

	const ask = (body: string, connection = 'inject') =>
		stage.send('POST', `/proxy/${connection}/v1/chat/completions`, stage.byKey(), body)
	const sent = () => stage.mock.requests[0]?.body.toString()
	const events = (text: string) => text.split('\n\n').filter((event) => event !== '')

	it.each([
		[
			'without options',
			'{ "model":"m","stream":true }',
			'{"stream_options":{"include_usage":true}, "model":"m","stream":true }',
		],
		[
			'with none',
			'{"model":"m","stream_options": null,"stream":true}',
			'{"model":"m","stream_options": {"include_usage":true},"stream":true}',
		],
		[
			'with empty ones',
			'{"stream":true,"model":"m","stream_options":{}}',
			'{"stream":true,"model":"m","stream_options":{"include_usage":true}}',
		],
		[
			'with others',
			'{"stream":true,"model":"ü","stream_options":{"x":1}}',
			'{"stream":true,"model":"ü","stream_options":{"include_usage":true,"x":1}}',
		],
	])('asks for it on a stream %s, and keeps the answer to itself', async (_name, body, expected) => {
		const row = await stage.lastRecord(async () => {
			const { text } = await ask(body)
			const asked = await ask(body, 'gpt')
			const plain = (one: string) => one.replaceAll(',"usage":null', '')
			expect(events(text).map(plain)).toEqual(events(asked.text))
			expect(text).toMatch(/data: \[DONE\]\n\n$/)
		})
		expect(sent()).toBe(expected)
		expect(row).toMatchObject({ usageSource: 'reported', outputTokens: 20, cacheReadTokens: 100 })
		expect(row?.attributes.get('signalbox.usage_injected')).toBe(true)
		const hashOf = (body: string) => row?.attributes.get(`signalbox.body_hash.${body}`)
		for (const body of ['request', 'response']) expect(hashOf(body)).toMatch(/^[0-9a-f]{64}$/)
		expect(hashOf('request_sent')).not.toBe(hashOf('request'))
		expect(hashOf('response_passed')).not.toBe(hashOf('response'))
	})

	it.each([
		['asks itself', '{"model":"m","stream":true,"stream_options":{"include_usage":true}}'],
		['does not want it', '{"model":"m","stream":true,"stream_options":{"include_usage":false}}'],
		['wants no stream', '{"model":"m"}'],
	])('changes nothing for a client that %s', async (_name, body) => {
		const row = await stage.lastRecord(async () => {
			const injecting = await ask(body)
			expect(injecting.text).toBe((await ask(body, 'gpt')).text)
		})
		expect(sent()).toBe(body)
		expect(row?.attributes.has('signalbox.usage_injected')).toBe(false)
	})

	it('works on a route that requests another model', async () => {
		const { text } = await ask('{"model":"m","stream":true}', 'way')
		expect(JSON.parse(sent() ?? '')).toMatchObject({
			model: 'other',
			stream_options: { include_usage: true },
		})
		expect(text).not.toContain('prompt_tokens')
	})

	it('works with hooks', async () => {
		const hook = { name: 'Guard', action: 'deny', stages: ['stream'], pattern: 'nothing', mode: 'enforce' }
		const made = await stage.proxy.api(stage.key, 'POST', '/v1/hooks', hook)
		const { text } = await ask('{"model":"m","stream":true}')
		expect([text.includes('prompt_tokens'), text.endsWith('data: [DONE]\n\n')]).toEqual([false, true])
		await stage.proxy.api(stage.key, 'DELETE', `/v1/hooks/${made.json.id}`)
	})
})

it('only the usage chunk is removed, in any chunking and with any line end', () => {
	const filter = 'data: {"choices":[],"prompt_filter_results":[],"usage":null}'
	const kept = [
		': ping',
		filter,
		'data:{"choices":[{"delta":{"content":"\\"usage\\" ü"}}],"usage":{"a":1}}',
		'data: [DONE]',
	]
	const usage = 'data: { "choices" : [ ] , "usage":{"prompt_tokens":1}}'
	const anyCuts = fc.array(fc.nat(400), { maxLength: 12 })
	const property = fc.property(
		anyCuts,
		fc.constantFrom('\n', '\r\n', '\r'),
		fc.boolean(),
		(cuts, eol, whole) => {
			const stream = (lines: string[]) => Buffer.from(lines.join(eol + eol) + (whole ? eol + eol : ''))
			const bytes = stream([...kept.slice(0, 3), usage, ...kept.slice(3)])
			const strip = new UsageStrip()
			const edges = [0, ...cuts.map((cut) => cut % bytes.length).sort((a, b) => a - b), bytes.length]
			const pieces = edges.slice(1).map((edge, at) => strip.push(bytes.subarray(edges[at], edge)))
			expect(Buffer.concat([...pieces, strip.end()]).toString()).toBe(stream(kept).toString())
		},
	)
	fc.assert(property, { numRuns: randomCases(500) })
})
