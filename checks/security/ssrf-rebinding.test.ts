import { beforeAll, describe, expect, it } from 'vitest'
import { openAddress, useExposedStage } from './exposed-stage.ts'
import { insideAddresses } from './inside-addresses.ts'

const stage = useExposedStage()
let agentKey: string

beforeAll(async () => {
	const agent = await stage.ask('POST', '/v1/agents', { name: 'Agent' })
	const key = await stage.ask('POST', `/v1/agents/${agent.body.uuid}/keys`, { name: 'k' })
	agentKey = String(key.body.key)
})

const silent = () =>
	expect({ attempts: stage.attempts(), reached: stage.reached }).toEqual({ attempts: [], reached: 0 })

// ContextForge checked one DNS answer and connected to another one (CVE-2026-77822).
describe('a host name', () => {
	it.each(['alone', 'after an allowed address', 'before an allowed address'])(
		'that resolves to an internal address (%s) is refused when a server is registered',
		async (form) => {
			stage.resolve = (name) => {
				const inside = insideAddresses[Number(name.split('.')[0]?.slice(1))] as string
				if (form === 'alone') return [inside]
				return form === 'before an allowed address' ? [inside, openAddress] : [openAddress, inside]
			}
			const taken: string[] = []
			for (const index of insideAddresses.keys()) {
				const url = `http://n${index}.attacker.test:${stage.canaryPort}/`
				const name = `${form} ${index}`
				const { body } = await stage.ask('POST', '/v1/mcp/servers', { name, url })
				if (body.code !== 'blocked_address') taken.push(`${insideAddresses[index]}: ${JSON.stringify(body)}`)
			}
			expect(taken).toEqual([])
			silent()
		},
	)

	it('that later resolves to an internal address is not connected to', async () => {
		let rebound = false
		const port = new URL(stage.attacker).port
		stage.resolve = (name, turn) => {
			if (!name.startsWith('r')) return []
			const inside = insideAddresses[(Number(name.split('.')[0]?.slice(1)) + turn) % insideAddresses.length]
			return [rebound ? (inside as string) : openAddress]
		}
		const ids: { server: string; connection: string; webhook: string; index: number }[] = []
		for (let index = 0; index < 30; index += 1) {
			const at = `http://r${index}.attacker.test:${port}`
			const server = await stage.ask('POST', '/v1/mcp/servers', {
				name: `rebinding ${index}`,
				url: `${at}/mcp`,
			})
			const connection = await stage.ask('POST', '/v1/provider-keys', {
				name: `rebinding-${index}`,
				provider: 'openai_compatible',
				key: 'k',
				base_url: at,
			})
			expect([server.status, connection.status]).toEqual([201, 201])
			const webhook = await stage.ask('POST', '/v1/webhooks', { url: at, events: ['keys.*'] })
			expect(webhook.status).toBe(201)
			ids.push({
				webhook: String(webhook.body.id),
				server: String(server.body.id),
				connection: String(connection.body.id),
				index,
			})
		}
		rebound = true
		// Connections that are still open to the allowed address would be reused without a new DNS query.
		await new Promise((resolve) => setTimeout(resolve, 500))
		for (const { server, connection, webhook, index } of ids) {
			await stage.ask('GET', `/v1/mcp/servers/${server}/health`)
			await stage.ask('POST', `/v1/mcp/servers/${server}/tools/refresh`)
			await stage.ask('POST', `/v1/provider-keys/${connection}/test`)
			if (index < 6) await stage.deliver(webhook)
			const response = await fetch(`${stage.program.url}/proxy/rebinding-${index}/v1/chat/completions`, {
				method: 'POST',
				headers: { authorization: `Bearer ${agentKey}`, 'content-type': 'application/json' },
				body: JSON.stringify({ model: 'm', messages: [] }),
			})
			await response.text()
			expect(stage.dns.asked.get(`r${index}.attacker.test`)).toBeGreaterThanOrEqual(4)
		}
		silent()
	})
})
