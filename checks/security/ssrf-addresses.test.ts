import { beforeAll, describe, expect, it } from 'vitest'
import { openAddress, useExposedStage } from './exposed-stage.ts'
import { insideHosts, someInsideHosts, trickUrls } from './inside-addresses.ts'

const stage = useExposedStage()
let server: string
let connection: string
let webhook: string

beforeAll(async () => {
	const url = `${stage.attacker}/mcp`
	server = await made('/v1/mcp/servers', { name: 'Server', url })
	webhook = await made('/v1/webhooks', { url: stage.attacker, events: ['agents.*'] })
	connection = await made('/v1/provider-keys', {
		name: 'connection',
		provider: 'openai_compatible',
		key: 'k',
		base_url: stage.attacker,
	})
})

async function made(path: string, body: object): Promise<string> {
	return String((await stage.ask('POST', path, body)).body.id)
}

// Open WebUI (CVE-2025-65958), fetch-mcp (CVE-2025-65513) and LibreChat (CVE-2025-66201) fetched any URL from a caller.
/** Every operation of the API that accepts the URL of an upstream. */
const endpoints: Record<
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
function hostsAt(endpoint: string): readonly string[] {
	const hosts = /^PATCH|^PUT/.test(endpoint) ? someInsideHosts : insideHosts
	const place = Object.keys(endpoints).indexOf(endpoint)
	return hosts.filter((_, at) => process.env.LONG_TESTS || place === 0 || at % 3 === place % 3)
}

describe('an internal address, in any spelling', () => {
	it('is tried in at least 300 spellings', () => {
		expect(someInsideHosts.length).toBeGreaterThanOrEqual(300)
		console.log(
			`${insideHosts.length} spellings and ${trickUrls(1).length} tricks × ${Object.keys(endpoints).length} endpoints`,
		)
	})

	it.each(Object.keys(endpoints))('is refused at the %s before a connection is opened', async (endpoint) => {
		const urls = [
			...hostsAt(endpoint).map((host) => `http://${host}:${stage.canaryPort}/mcp`),
			...trickUrls(stage.canaryPort),
			`${stage.program.url.replace('127.0.0.1', openAddress)}/mcp`,
		]
		const taken: string[] = []
		for (const [index, url] of urls.entries()) {
			const { status, body } = await (endpoints[endpoint] as (typeof endpoints)[string])(url, index)
			const answer = `${status} ${body.code}`
			if (!refusals.has(answer)) taken.push(`${url}: ${answer}`)
		}
		expect(taken).toEqual([])
		expect(stage.attempts()).toEqual([])
		expect(stage.reached).toBe(0)
	})

	it('does not change the stored address', async () => {
		const { body } = await stage.ask('GET', `/v1/mcp/servers/${server}`)
		expect(body.endpoint_url).toBe(`${stage.attacker}/mcp`)
	})
})

describe('the canary', () => {
	it('notices a connection, which proves that the tests above can fail', async () => {
		const url = `http://${openAddress}:${stage.canaryPort}/mcp`
		await stage.ask('POST', '/v1/mcp/servers', { name: 'Allowed', url })
		expect(stage.reached).toBeGreaterThan(0)
		expect(stage.attempts()).toContain(`${openAddress} ${stage.canaryPort}`)
	})
})
