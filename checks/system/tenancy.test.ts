import { randomBytes } from 'node:crypto'
import { scopes } from '@signalbox/contract'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { readConfig } from '../../server/src/config.ts'
import { silentLog } from '../../server/src/platform/log.ts'
import { call, newDataDir, owner, removeDataDir } from '../../server/src/program.testing.ts'
import { type Running, run } from '../../server/src/run.ts'
import { startEverythingServer } from '../../server/src/servers/testing.ts'
import { connectClient } from './connect-client.ts'

type Ids = Record<string, string>

/** Bodies that reach the lookup of the object: validation comes first. */
const bodies: Record<string, (ids: Ids) => unknown> = {
	'workspaces.update': () => ({ name: 'Taken' }),
	'members.update': () => ({ role: 'viewer' }),
	'invitations.create': () => ({ email: 'thief@example.org' }),
	'agents.update': () => ({ description: 'taken over' }),
	'agents.create-key': () => ({ name: 'stolen' }),
	'servers.update': () => ({ description: 'taken over' }),
	'servers.replace': () => ({ name: 'Taken', url: 'http://127.0.0.1:9/mcp' }),
	'servers.call-tool': () => ({}),
	'servers.update-program': () => ({ allowed_hosts: ['evil.example.com'] }),
	'servers.accept-without-sandbox': () => ({ sentence: 'x' }),
	'tool-definitions.decide': () => ({ decisions: [{ name: 'echo', hash: 'x', decision: 'approve' }] }),
	'access.create': ({ agent }) => ({ agent_uuid: agent }),
	'access.update': () => ({ enabled: false }),
	'toolsets.update': () => ({ groups: [] }),
	'toolsets.preview': () => ({ groups: [] }),
	'approvals.approve': () => ({}),
	'approvals.deny': () => ({}),
	'keys.update': () => ({ name: 'taken over' }),
	'ingest-tokens.update': () => ({ name: 'taken over' }),
	'webhooks.update': () => ({ enabled: false }),
	'upstream-credentials.replace': () => ({ mode: 'none' }),
	'provider-keys.update': () => ({ base_url: 'http://127.0.0.1:9/v1' }),
}

const queries: Record<string, string> = {
	'workspaces.delete': '?confirm=default',
	'tool-definitions.versions': '?name=echo',
	'tool-definitions.diff': '?name=echo',
}

/** They are about sign-in providers, of which there is none here; server/src/identity/federation has their tests. */
const objectless: ReadonlySet<string> = new Set(['auth.identities.unlink', 'auth.oauth.link'])

describe('an object of another workspace answers exactly like one that does not exist', () => {
	const dataDir = newDataDir()
	let running: Running
	let ours: Ids
	let theirs: { jwt: string; key: string }
	let upstream: Awaited<ReturnType<typeof startEverythingServer>>

	beforeAll(async () => {
		upstream = await startEverythingServer()
		const settings = {
			PORT: '0',
			OTLP_HTTP_PORT: '0',
			DATA_DIR: dataDir,
			INIT_ADMIN_EMAIL: owner.email,
			INIT_ADMIN_PASSWORD: owner.password,
		}
		const environment = Object.entries(settings).map(([name, value]) => [`SIGNALBOX_${name}`, value])
		running = await run(readConfig(Object.fromEntries(environment)), silentLog)
		ours = await makeObjects(running.address, upstream.url)
		theirs = await makeStranger(running.address)
	})
	afterAll(async () => {
		await running?.stop()
		await upstream?.close()
		removeDataDir(dataDir)
	})

	it.each(['a signed-in owner', 'a platform key with all scopes'])(
		'for %s of the other workspace, on every route with an id',
		async (who) => {
			const isPerson = who.startsWith('a signed')
			const credential = isPerson ? theirs.jwt : theirs.key
			const routes = running.routes.filter(
				({ family, path, access }) =>
					family === 'api' &&
					/\{/.test(path) &&
					!access.public &&
					!access.operator &&
					access.kinds.includes(isPerson ? 'user' : 'platform_key'),
			)
			expect(routes.length).toBeGreaterThan(20)
			for (const route of routes) {
				// A route whose id nobody fills in would prove nothing.
				expect([route.id, fill(route, ours)]).toEqual([route.id, expect.not.stringContaining('{')])
				expect(fill(route, ours) !== fill(route, unknownIds()), `${route.id} names an object of ours`).toBe(
					!objectless.has(route.id),
				)
				const real = await answerOf(route, ours, credential)
				const unknown = await answerOf(route, { ...ours, ...unknownIds() }, credential)
				expect([route.id, real.status]).toEqual([route.id, 404])
				expect([route.id, real]).toEqual([route.id, unknown])
			}
		},
	)

	it('and the objects are untouched', async () => {
		const api = await signIn(running.address)
		expect(await api('GET', `/v1/mcp/servers/${ours.server}`)).toMatchObject({
			name: 'Everything',
			description: '',
			agent_access: [{ enabled: true }],
		})
		expect(await api('GET', `/v1/agents/${ours.agent}`)).toMatchObject({ name: 'Ours', status: 'active' })
	})

	it.each([
		'/v1/agents',
		'/agent/list',
		'/v1/mcp/servers',
		'/v1/toolsets',
		'/v1/approvals',
		'/v1/access-requests',
		'/v1/keys',
		'/v1/ingest-tokens',
		'/v1/provider-keys',
		'/v1/webhooks',
		'/v1/authorizations',
		'/v1/telemetry/spans?start=-1h',
		'/v1/audit',
	])('and %s shows none of them', async (path) => {
		const text = JSON.stringify(await call(running.address, 'GET', path, undefined, 200, theirs.jwt))
		for (const id of [
			ours.server,
			ours.agent,
			ours.toolset,
			ours.approval,
			ours.accessRequest,
			ours.key,
			ours.token,
			ours.connection,
			ours.webhook,
			ours.authorization,
			ours.trace,
		])
			expect(text).not.toContain(id)
	})

	async function answerOf(route: { id: string; method: string; path: string }, ids: Ids, credential: string) {
		const body = bodies[route.id]?.(ids)
		const response = await fetch(running.address + fill(route, ids) + (queries[route.id] ?? ''), {
			method: route.method,
			headers: {
				authorization: `Bearer ${credential}`,
				...(body !== undefined && { 'content-type': 'application/json' }),
			},
			...(body !== undefined && { body: JSON.stringify(body) }),
		})
		const { request_id: _, ...problem } = (await response.json()) as Record<string, unknown>
		return { status: response.status, problem }
	}
})

/** Which of our objects a route's `{id}` means. */
function fill(route: { id: string; path: string }, ids: Ids): string {
	const area = route.id.split('.')[0] as string
	const idOf: Record<string, string> = {
		workspaces: 'workspace',
		members: 'workspace',
		invitations: 'workspace',
		agents: 'agent',
		servers: 'server',
		access: route.path.startsWith('/v1/agents') ? 'agent' : 'server',
		toolsets: 'toolset',
		'access-review': 'suggestion',
		approvals: 'approval',
		'access-requests': 'accessRequest',
		keys: 'key',
		'ingest-tokens': 'token',
		'provider-keys': 'connection',
		webhooks: 'webhook',
		authorizations: 'authorization',
		'upstream-credentials': 'server',
	}
	return route.path
		.replace('/auth/sessions/{id}', `/auth/sessions/${ids.session}`)
		.replace('/auth/identities/{id}', `/auth/identities/${noId}`)
		.replace('{id}', ids[idOf[area] ?? ''] ?? '')
		.replace('{agentId}', ids.agent ?? '')
		.replace('{userId}', ids.member ?? '')
		.replace('{invitationId}', ids.invitation ?? '')
		.replace('{connectionId}', noId)
		.replace('{deliveryId}', ids.delivery ?? '')
		.replace('{trace_id}', ids.trace ?? '')
		.replace('{name}', 'echo')
		.replace('{provider}', 'none')
}

const noId = '0192f0c1-2d3e-7a4b-8c5d-6e7f80910213'

function unknownIds(): Ids {
	const uuid = noId
	return {
		session: uuid,
		workspace: uuid,
		member: uuid,
		invitation: uuid,
		agent: uuid,
		toolset: uuid,
		approval: uuid,
		accessRequest: uuid,
		suggestion: `30.${uuid}.${'0'.repeat(32)}`,
		server: uuid,
		key: uuid,
		token: uuid,
		connection: uuid,
		webhook: uuid,
		authorization: uuid,
		delivery: uuid,
		trace: randomBytes(16).toString('hex'),
	}
}

async function signIn(address: string) {
	const { token } = await call<{ token: string }>(address, 'POST', '/auth/login', owner, 200, '')
	return <T>(method: string, path: string, body?: unknown, expected = 200) =>
		call<T>(address, method, path, body, expected, token)
}

async function makeObjects(address: string, serverUrl: string): Promise<Ids> {
	const api = await signIn(address)
	const server = await api<{ id: string }>(
		'POST',
		'/v1/mcp/servers',
		{ name: 'Everything', url: serverUrl },
		201,
	)
	const agent = await api<{ uuid: string }>('POST', '/v1/agents', { name: 'Ours' }, 201)
	await api(
		'POST',
		`/v1/mcp/servers/${server.id}/access`,
		{ agent_uuid: agent.uuid, access_mode: 'all', approval: { echo: 'ask' } },
		201,
	)
	const asked = { arguments: { message: 'x' }, agent_uuid: agent.uuid }
	await api('POST', `/v1/mcp/servers/${server.id}/tools/echo/call`, asked, 403)
	const wanted = { agent_uuid: agent.uuid, server: server.id }
	const accessRequest = await api<{ id: string }>('POST', '/v1/access-requests', wanted, 201)
	const { approvals } = await api<{ approvals: { id: string }[] }>('GET', '/v1/approvals')
	const toolset = await api<{ id: string }>('POST', '/v1/toolsets', { name: 'Ours', groups: ['ours'] }, 201)
	const key = await api<{ id: string }>('POST', '/v1/keys', { name: 'ours' }, 201)
	const token = await api<{ id: string; token: string }>('POST', '/v1/ingest-tokens', { name: 'ours' }, 201)
	const connection = await api<{ id: string }>(
		'POST',
		'/v1/provider-keys',
		{ name: 'ours', provider: 'openai', key: 'sk-ours' },
		201,
	)
	const hook = { url: 'http://127.0.0.1:9/', events: ['agents.*'] }
	const webhook = await api<{ id: string }>('POST', '/v1/webhooks', hook, 201)
	const { token: jwt } = await api<{ token: string }>('POST', '/auth/login', owner)
	const authorization = await connectClient(address, jwt)
	const delivery = await api<{ id: string }>('POST', `/v1/webhooks/${webhook.id}/test`, undefined, 201)
	// A busy machine sheds telemetry first.
	const trace = await vi.waitFor(() => sendTrace(address, token.token), { timeout: 30_000, interval: 1000 })
	const { sessions } = await api<{ sessions: { id: string; current: boolean }[] }>('GET', '/auth/sessions')
	const me = await api<{ user: { id: string }; workspace: { id: string } }>('GET', '/auth/me')
	const invitation = await api<{ id: string }>(
		'POST',
		`/v1/workspaces/${me.workspace.id}/invitations`,
		{ email: 'invited@example.org' },
		201,
	)
	await vi.waitFor(() => api('GET', `/v1/telemetry/traces/${trace}`), { timeout: 10_000 })
	return {
		session: sessions.find(({ current }) => current)?.id ?? '',
		workspace: me.workspace.id,
		member: me.user.id,
		invitation: invitation.id,
		server: server.id,
		agent: agent.uuid,
		toolset: toolset.id,
		approval: approvals[0]?.id ?? '',
		accessRequest: accessRequest.id,
		suggestion: `30.${agent.uuid}.${'0'.repeat(32)}`,
		key: key.id,
		token: token.id,
		connection: connection.id,
		webhook: webhook.id,
		authorization,
		delivery: delivery.id,
		trace,
	}
}

async function sendTrace(address: string, token: string): Promise<string> {
	const traceId = randomBytes(16).toString('hex')
	const now = `${Date.now()}000000`
	const span = {
		traceId,
		spanId: traceId.slice(16),
		name: 'ours',
		kind: 1,
		startTimeUnixNano: now,
		endTimeUnixNano: now,
	}
	await call(
		address,
		'POST',
		'/v1/traces',
		{ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] },
		200,
		token,
	)
	return traceId
}

async function makeStranger(address: string): Promise<{ jwt: string; key: string }> {
	const body = { email: 'stranger@example.org', password: owner.password }
	const { token } = await call<{ token: string }>(address, 'POST', '/auth/register', body, 201, '')
	const { key } = await call<{ key: string }>(
		address,
		'POST',
		'/v1/keys',
		{ name: 'all', scopes: [...scopes] },
		201,
		token,
	)
	return { jwt: token, key }
}
