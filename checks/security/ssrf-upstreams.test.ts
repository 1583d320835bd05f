import type { IncomingMessage } from 'node:http'
import { beforeAll, describe, expect, it } from 'vitest'
import { openAddress, useExposedStage } from './exposed-stage.ts'
import { insideAddresses, insideHosts, someInsideHosts, trickUrls } from './inside-addresses.ts'

const statuses = [301, 302, 303, 307, 308]
const stage = useExposedStage()
/** A server, a connection and a webhook at the attacker's address, and a key of an agent that may use them. */
let server: string
let connection: string
let webhook: string
let agentKey: string

beforeAll(async () => {
	const made = async (path: string, body: object) => (await stage.ask('POST', path, body)).body
	server = String((await made('/v1/mcp/servers', { name: 'Server', url: `${stage.attacker}/mcp` })).id)
	const account = { name: 'account', provider: 'openai_compatible', key: 'k', base_url: stage.attacker }
	connection = String((await made('/v1/provider-keys', account)).id)
	webhook = String((await made('/v1/webhooks', { url: stage.attacker, events: ['agents.*'] })).id)
	const { uuid } = await made('/v1/agents', { name: 'Agent' })
	await made(`/v1/mcp/servers/${server}/access`, { agent_uuid: uuid })
	agentKey = String((await made(`/v1/agents/${uuid}/keys`, { name: 'k' })).key)
})

async function byAgent(path: string, body: object): Promise<void> {
	const headers = { authorization: `Bearer ${agentKey}`, 'content-type': 'application/json' }
	const response = await fetch(stage.program.url + path, {
		method: 'POST',
		headers,
		body: JSON.stringify(body),
		redirect: 'manual',
	})
	await response.text()
}

const silent = () =>
	expect({ attempts: stage.attempts(), reached: stage.reached }).toEqual({ attempts: [], reached: 0 })

// Open WebUI (CVE-2025-65958), fetch-mcp (CVE-2025-65513) and LibreChat (CVE-2025-66201) fetched any URL from a caller.
/** Every operation of the API that accepts the URL of an upstream. */
const inputs: Record<
	string,
	(url: string, index: number) => Promise<{ status: number; body: Record<string, unknown> }>
> = {
	'registration of a server': (url, index) =>
		stage.ask('POST', '/v1/mcp/servers', { name: `s${index}`, url }),
	'PATCH of a server': (url) => stage.ask('PATCH', `/v1/mcp/servers/${server}`, { url }),
	'PATCH of a server by its other name': (url) =>
		stage.ask('PATCH', `/v1/mcp/servers/${server}`, { endpoint_url: url }),
	'PUT of a server': (url) => stage.ask('PUT', `/v1/mcp/servers/${server}`, { name: 'Server', url }),
	'import of an mcp.json': async (url, index) => {
		const answer = await stage.ask('POST', '/v1/mcp/servers/import', {
			mcpServers: { [`i${index}`]: { url } },
		})
		const [entry] = (answer.body.mcp_servers ?? []) as { code: string | null }[]
		// Each entry is checked like a registration, but its error is part of a response with status 200.
		const code = entry?.code ?? ''
		return { status: code === 'blocked_address' ? 403 : code === 'invalid_request' ? 400 : 0, body: { code } }
	},
	'registration of a webhook': (url) => stage.ask('POST', '/v1/webhooks', { url, events: ['agents.*'] }),
	'PATCH of a webhook': (url) => stage.ask('PATCH', `/v1/webhooks/${webhook}`, { url }),
	'base URL of a provider': (url, index) =>
		stage.ask('POST', '/v1/provider-keys', {
			name: `c${index}`,
			provider: 'openai_compatible',
			key: 'k',
			base_url: url,
		}),
	'PATCH of a base URL': (url) => stage.ask('PATCH', `/v1/provider-keys/${connection}`, { base_url: url }),
}

const refusals = new Set(['403 blocked_address', '400 invalid_request'])

/**
 * Operations that create an object are tried with every spelling, those that change one with at least 300. Because all of them use the
 * same check, the short form tries every spelling only at the registration of a server, and a different third at each other operation.
 */
function hostsAt(input: string): readonly string[] {
	const hosts = /^PATCH|^PUT/.test(input) ? someInsideHosts : insideHosts
	const place = Object.keys(inputs).indexOf(input)
	return hosts.filter((_, at) => process.env.LONG_TESTS || place === 0 || at % 3 === place % 3)
}

describe('an internal address, in any spelling', () => {
	it('is tried in at least 300 spellings', () => {
		expect(someInsideHosts.length).toBeGreaterThanOrEqual(300)
		console.log(
			`${insideHosts.length} spellings and ${trickUrls(1).length} tricks × ${Object.keys(inputs).length} inputs`,
		)
	})

	it.each(Object.keys(inputs))('is refused at the %s before a connection is opened', async (input) => {
		const urls = [
			...hostsAt(input).map((host) => `http://${host}:${stage.canaryPort}/mcp`),
			...trickUrls(stage.canaryPort),
			`${stage.program.url.replace('127.0.0.1', openAddress)}/mcp`,
		]
		const taken: string[] = []
		for (const [index, url] of urls.entries()) {
			const { status, body } = await (inputs[input] as (typeof inputs)[string])(url, index)
			const answer = `${status} ${body.code}`
			if (!refusals.has(answer)) taken.push(`${url}: ${answer}`)
		}
		expect(taken).toEqual([])
		silent()
	})

	it('does not change the stored address', async () => {
		const { body } = await stage.ask('GET', `/v1/mcp/servers/${server}`)
		expect(body.endpoint_url).toBe(`${stage.attacker}/mcp`)
	})
})

let redirected: IncomingMessage[] = []

/** Makes the attacker's server redirect every request to this location. */
function redirectTo(location: string, status: number): void {
	redirected = []
	stage.answer = (request, response) => {
		redirected.push(request)
		response.writeHead(status, { location }).end()
	}
}

/** Everything in the program that sends requests to an upstream. */
const senders: Record<string, () => Promise<unknown>> = {
	'health check': () => stage.ask('GET', `/v1/mcp/servers/${server}/health`),
	'list of tools': () => stage.ask('POST', `/v1/mcp/servers/${server}/tools/refresh`),
	'test of a provider': () => stage.ask('POST', `/v1/provider-keys/${connection}/test`),
	'delivery of a webhook': () => stage.deliver(webhook),
	'model proxy': () => byAgent('/proxy/account/v1/chat/completions', { model: 'm', messages: [] }),
	gateway: () =>
		byAgent('/mcp/server', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'x' } }),
}

describe('a redirect to an internal address', () => {
	it('is not followed by health checks, in any spelling', async () => {
		const urls = [
			...someInsideHosts.map((host, index) => `${index % 3 ? 'http:' : ''}//${host}:${stage.canaryPort}/`),
			...trickUrls(stage.canaryPort),
			`${stage.program.url.replace('127.0.0.1', openAddress)}/livez`,
		].map((url) => url.replaceAll(/[^\x20-\x7e]/g, encodeURIComponent))
		let asked = 0
		for (const [index, url] of urls.entries()) {
			redirectTo(url.trim(), statuses[index % statuses.length] as number)
			await senders['health check']?.()
			asked += redirected.length
		}
		expect(asked).toBeGreaterThanOrEqual(urls.length)
		silent()
	})

	it.each(Object.keys(senders))('is not followed by the %s, with any redirect status', async (sender) => {
		// A delivery waits for its job, so try fewer hosts.
		for (const host of sender === 'delivery of a webhook'
			? ['127.0.0.1']
			: ['127.0.0.1', '169.254.169.254', '[::ffff:7f00:1]', '2130706433', 'localhost'])
			for (const status of statuses) {
				redirectTo(`http://${host}:${stage.canaryPort}/`, status)
				await senders[sender]?.()
				if (sender !== 'gateway') expect(redirected.length).toBeGreaterThan(0)
			}
		silent()
	})
})

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
			await byAgent(`/proxy/rebinding-${index}/v1/chat/completions`, { model: 'm', messages: [] })
			expect(stage.dns.asked.get(`r${index}.attacker.test`)).toBeGreaterThanOrEqual(4)
		}
		silent()
	})
})

// Last, because it makes the connections that the tests above must not see.
describe('the canary', () => {
	it('notices a connection, which proves that the tests above can fail', async () => {
		const url = `http://${openAddress}:${stage.canaryPort}/mcp`
		await stage.ask('POST', '/v1/mcp/servers', { name: 'Allowed', url })
		expect(stage.reached).toBeGreaterThan(0)
		expect(stage.attempts()).toContain(`${openAddress} ${stage.canaryPort}`)
	})
})
