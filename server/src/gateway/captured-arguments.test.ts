import { expect, it } from 'vitest'
import { useCallStage } from './testing-stage.ts'
import { sendText } from './testing-upstream.ts'

const stage = useCallStage()
const name = 'gen_ai.tool.call.arguments'
const capture = (capture_arguments: unknown) =>
	stage.gateway.manage('PATCH', `/v1/mcp/servers/${stage.serverId}`, { configuration: { capture_arguments } })

async function recordedOf(values: unknown) {
	stage.answer = ({ id }, response) => sendText(response, id, 'ran')
	await stage.client.request('tools/call', { name: 'run', arguments: values })
	return stage.lastRow()?.attributes
}

it('records the arguments of calls only where the server asks for it', async () => {
	const values = { path: '/data/ä', note: 'shibboleth' }
	for (const off of [undefined, false, 'true', 1]) {
		await capture(off)
		expect([...((await recordedOf(values)) ?? [])].join()).not.toContain('shibboleth')
	}
	await capture(true)
	expect((await recordedOf(values))?.get(name)).toBe('{"path":"/data/ä","note":"shibboleth"}')
	expect((await recordedOf(undefined))?.get(name)).toBe('{}')
})

it('records them without what is private, and says what was taken out', async () => {
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
