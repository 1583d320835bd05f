import { expect, it } from 'vitest'
import { useCallStage } from './testing-stage.ts'
import { sendJson, sendText } from './testing-upstream.ts'

const stage = useCallStage()
const name = 'gen_ai.tool.call.arguments'
const resultName = 'gen_ai.tool.call.result'
const configure = (configuration: object) =>
	stage.gateway.manage('PATCH', `/v1/mcp/servers/${stage.serverId}`, { configuration })
const capture = (capture_arguments: unknown) => configure({ capture_arguments })

async function recordedOf(values: unknown) {
	stage.answer = ({ id }, response) => sendText(response, id, 'ran')
	await stage.client.request('tools/call', { name: 'run', arguments: values })
	return stage.lastRow()?.attributes
}

it('records arguments and results of calls unless the server asks for none', async () => {
	const values = { path: '/data/ä', note: 'shibboleth' }
	const answered = '{"content":[{"type":"text","text":"ran"}]}'
	for (const on of [{}, { capture_arguments: true, capture_results: true }]) {
		await configure(on)
		const kept = await recordedOf(values)
		expect([kept?.get(name), kept?.get(resultName)]).toEqual([
			'{"path":"/data/ä","note":"shibboleth"}',
			answered,
		])
	}
	await configure({ capture_arguments: false, capture_results: false })
	expect([...((await recordedOf(values)) ?? [])].join()).not.toMatch(/shibboleth|content/)
	await configure({ capture_arguments: true })
	expect((await recordedOf(undefined))?.get(name)).toBe('{}')
})

it('accepts only true and false for the setting', async () => {
	for (const slip of ['true', 1])
		await expect(capture(slip)).rejects.toThrow('/configuration/capture_arguments')
})

it("records a server's error message, redacted", async () => {
	await configure({})
	const content = [{ type: 'text', text: 'No such issue; ask jane@example.com' }]
	stage.answer = ({ id }, response) =>
		sendJson(response, 200, { jsonrpc: '2.0', id, result: { content, isError: true } })
	await stage.client.request('tools/call', { name: 'run', arguments: {} })
	expect(stage.lastRow()).toMatchObject({
		status: 'error',
		statusMessage: 'No such issue; ask [redacted:email]',
	})
	expect(stage.lastRow()?.attributes.get(resultName)).toContain('[redacted:email]')
})

it('records the beginning of a long error message, and never a part of a secret', async () => {
	await configure({})
	const long = `${'x'.repeat(1024 - 12)} jane@example.com ${'y'.repeat(3000)}`
	const content = [{ type: 'text', text: long }]
	const outcomes = [{ result: { content, isError: true } }, { error: { code: -32_000, message: long } }]
	for (const outcome of outcomes) {
		stage.answer = ({ id }, response) => sendJson(response, 200, { jsonrpc: '2.0', id, ...outcome })
		await stage.client.request('tools/call', { name: 'run', arguments: {} }).catch(() => {})
		const message = String(stage.lastRow()?.statusMessage)
		expect(message).toMatch(/x{100} \[redacted/)
		expect(message.length).toBeLessThanOrEqual(1024)
	}
})

it('records the beginning of a long result, and never a part of a secret', async () => {
	await configure({})
	const long = `${'x'.repeat(16_384 - 60)} jane@example.com ${'y'.repeat(16_384)}`
	stage.answer = ({ id }, response) => sendText(response, id, long)
	await stage.client.request('tools/call', { name: 'run', arguments: {} })
	const kept = String(stage.lastRow()?.attributes.get(resultName))
	expect(kept.length).toBeLessThanOrEqual(16_384)
	expect(kept).toContain('[redacted:email]')
	expect(stage.lastRow()?.attributes.get('signalbox.result_cut')).toBeTypeOf('bigint')
})

it('records them redacted, and says what was removed', async () => {
	await capture(true)
	const kept = await recordedOf({ to: 'jane@example.com', password: 'correct horse', lines: ['a', 'b'] })
	expect(kept?.get(name)).toBe('{"to":"[redacted:email]","password":"[redacted:secret]","lines":["a","b"]}')
	expect(kept?.get('signalbox.redacted')).toEqual(['secret', 'email'])
	const cutOff = await recordedOf({ text: '-----BEGIN PRIVATE KEY-----\nMIIB', more: 'x' })
	expect([cutOff?.get(name), cutOff?.get('signalbox.arguments_omitted')]).toEqual([undefined, 'private'])
})

it('records them of refused calls too', async () => {
	await capture(true)
	await stage.gateway.manage('PATCH', `/v1/mcp/servers/${stage.serverId}/access/${stage.agent.id}`, {
		constraints: { run: { properties: { path: { const: 'a' } } } },
	})
	expect((await recordedOf({ path: 'b' }))?.get(name)).toBe('{"path":"b"}')
	expect(stage.lastRow()).toMatchObject({ status: 'denied' })
})

it('records whole arguments or none, and says why', async () => {
	await capture(true)
	const fits = { text: 'x'.repeat(16_384 - '{"text":""}'.length) }
	expect((await recordedOf(fits))?.get(name)).toHaveLength(16_384)
	const omitted = await recordedOf({ text: `${fits.text}x` })
	expect([omitted?.get(name), omitted?.get('signalbox.arguments_omitted')]).toEqual([undefined, 'size'])
	expect((await recordedOf([1]))?.get(name)).toBeUndefined()
})
