import type { IncomingMessage } from 'node:http'
import { beforeAll, describe, expect, it } from 'vitest'
import { openAddress, useExposedStage } from './exposed-stage.ts'
import { someInsideHosts as insideHosts, trickUrls } from './inside-addresses.ts'

const statuses = [301, 302, 303, 307, 308]
const stage = useExposedStage()
let server: string
let connection: string
let webhook: string
let agentKey: string
let redirected: IncomingMessage[] = []

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

/** Makes the attacker's server redirect every request to this location. */
function redirectTo(location: string, status: number): void {
	redirected = []
	stage.answer = (request, response) => {
		redirected.push(request)
		response.writeHead(status, { location }).end()
	}
}

/** Everything in the program that sends requests to an upstream. */
const endpoints: Record<string, () => Promise<unknown>> = {
	'health check': () => stage.ask('GET', `/v1/mcp/servers/${server}/health`),
	'list of tools': () => stage.ask('POST', `/v1/mcp/servers/${server}/tools/refresh`),
	'test of a provider': () => stage.ask('POST', `/v1/provider-keys/${connection}/test`),
	'delivery of a webhook': () => stage.deliver(webhook),
	'model proxy': () => byAgent('/proxy/account/v1/chat/completions', { model: 'm', messages: [] }),
	gateway: () =>
		byAgent('/mcp/server', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'x' } }),
}

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

describe('a redirect to an internal address', () => {
	it('is not followed by health checks, in any spelling', async () => {
		const urls = [
			...insideHosts.map((host, index) => `${index % 3 ? 'http:' : ''}//${host}:${stage.canaryPort}/`),
			...trickUrls(stage.canaryPort),
			`${stage.program.url.replace('127.0.0.1', openAddress)}/livez`,
		].map((url) => url.replaceAll(/[^\x20-\x7e]/g, encodeURIComponent))
		let asked = 0
		for (const [index, url] of urls.entries()) {
			redirectTo(url.trim(), statuses[index % statuses.length] as number)
			await endpoints['health check']?.()
			asked += redirected.length
		}
		expect(asked).toBeGreaterThanOrEqual(urls.length)
		silent()
	})

	it.each(Object.keys(endpoints))('is not followed by the %s, with any redirect status', async (endpoint) => {
		// A delivery waits for its job, so try fewer hosts.
		for (const host of endpoint === 'delivery of a webhook'
			? ['127.0.0.1']
			: ['127.0.0.1', '169.254.169.254', '[::ffff:7f00:1]', '2130706433', 'localhost'])
			for (const status of statuses) {
				redirectTo(`http://${host}:${stage.canaryPort}/`, status)
				await endpoints[endpoint]?.()
				if (endpoint !== 'gateway') expect(redirected.length).toBeGreaterThan(0)
			}
		silent()
	})
})
