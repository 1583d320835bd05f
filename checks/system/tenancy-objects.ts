import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { scopes } from '@signalbox/contract'
import { vi } from 'vitest'
import { call, owner } from '../../server/src/program/program.testing.ts'
import { connectClient } from './connect-client.ts'

/** The ids of one object of each kind. */
export type Ids = Record<string, string>

/** The path of a route, with the ids of the objects that its `{…}` name. */
export function fill(route: { id: string; path: string }, ids: Ids): string {
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
		routes: 'route',
		'model-limits': 'modelLimit',
		hooks: 'hook',
		webhooks: 'webhook',
		forwarders: 'forwarder',
		budgets: 'budget',
		'redaction-rules': 'redactionRule',
		questions: 'question',
		dashboards: 'dashboard',
		alerts: 'alert',
		prices: 'price',
		authorizations: 'authorization',
		spotlight: 'clientSession',
		sharing: 'clientSession',
		'upstream-credentials': 'server',
		'tool-definitions': 'server',
	}
	return route.path
		.replace('/auth/sessions/{id}', `/auth/sessions/${ids.session}`)
		.replace('/auth/identities/{id}', `/auth/identities/${noId}`)
		.replace('{shareId}', ids.share ?? '')
		.replace('{id}', ids[idOf[area] ?? ''] ?? '')
		.replace('{agentId}', ids.agent ?? '')
		.replace('{userId}', ids.member ?? '')
		.replace('{invitationId}', ids.invitation ?? '')
		.replace('{connectionId}', noId)
		.replace('{deliveryId}', ids.delivery ?? '')
		.replace('{trace_id}', ids.trace ?? '')
		.replace('{span_id}', '00f067aa0ba902b7')
		.replace('{name}', 'echo')
		.replace('{provider}', 'none')
}

const noId = '0192f0c1-2d3e-7a4b-8c5d-6e7f80910213'

export function unknownIds(): Ids {
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
		route: uuid,
		modelLimit: uuid,
		hook: uuid,
		webhook: uuid,
		forwarder: uuid,
		budget: uuid,
		redactionRule: uuid,
		question: uuid,
		dashboard: uuid,
		alert: uuid,
		price: uuid,
		authorization: uuid,
		delivery: uuid,
		trace: randomBytes(16).toString('hex'),
		clientSession: uuid,
		share: uuid,
	}
}

export async function signIn(address: string) {
	const { token } = await call<{ token: string }>(address, 'POST', '/auth/login', owner, 200, '')
	return <T>(method: string, path: string, body?: unknown, expected = 200) =>
		call<T>(address, method, path, body, expected, token)
}

export async function makeObjects(address: string, dataDir: string, serverUrl: string): Promise<Ids> {
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
	const routing = { name: 'our-way', targets: [{ connection: 'ours' }] }
	const route = await api<{ id: string }>('POST', '/v1/routes', routing, 201)
	const calls = { name: 'ours', scope: 'workspace', concurrency: 100 }
	const modelLimit = await api<{ id: string }>('POST', '/v1/model-limits', calls, 201)
	const guard = { name: 'ours', action: 'deny', pattern: 'ours', stages: ['request'] }
	const hook = await api<{ id: string }>('POST', '/v1/hooks', guard, 201)
	const hookTarget = { url: 'http://127.0.0.1:2/', events: ['agents.*'] }
	const webhook = await api<{ id: string }>('POST', '/v1/webhooks', hookTarget, 201)
	const out = { name: 'ours', kind: 'otlp', url: 'http://127.0.0.1:2/', signals: ['audit'], enabled: false }
	const forwarder = await api<{ id: string }>('POST', '/v1/forwarders', out, 201)
	const own = { name: 'ours', pattern: 'ours', label: 'ours', applies_to: ['content'] }
	const redactionRule = await api<{ id: string }>('POST', '/v1/redaction-rules', own, 201)
	const limits = { name: 'ours', scope: 'workspace', mode: 'soft', limit: '1', window: 'day' }
	const budget = await api<{ id: string }>('POST', '/v1/budgets', limits, 201)
	const saved = { name: 'ours', read: 'overview' }
	const question = await api<{ id: string }>('POST', '/v1/questions', saved, 201)
	const dashboard = await api<{ id: string }>('POST', '/v1/dashboards', { name: 'ours' }, 201)
	const watch = { name: 'ours', question_id: question.id, figure: 'calls', condition: 'no_data' }
	const alert = await api<{ id: string }>('POST', '/v1/alerts', watch, 201)
	const price = await api<{ id: string }>('POST', '/v1/prices', { model: 'ours', factor: '1/2' }, 201)
	const { token: jwt } = await api<{ token: string }>('POST', '/auth/login', owner)
	const authorization = await connectClient(address, jwt)
	const delivery = await api<{ id: string }>('POST', `/v1/webhooks/${webhook.id}/test`, undefined, 201)
	// Under load, the program refuses telemetry first.
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
	await api('PUT', '/v1/sharing', { enabled: true })
	const share = await api<{ id: string }>('POST', `/v1/spotlight/sessions/${clientSession}/share`, {}, 201)
	const suggestion = await findSuggestion(api, dataDir, agent.uuid)
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
		suggestion,
		key: key.id,
		token: token.id,
		connection: connection.id,
		route: route.id,
		modelLimit: modelLimit.id,
		hook: hook.id,
		webhook: webhook.id,
		forwarder: forwarder.id,
		redactionRule: redactionRule.id,
		budget: budget.id,
		question: question.id,
		dashboard: dashboard.id,
		alert: alert.id,
		price: price.id,
		authorization,
		delivery: delivery.id,
		trace,
		clientSession,
		share: share.id,
	}
}

/** The id that a client gave its session. */
export const clientSession = 'a-session-of-ours'

type Api = Awaited<ReturnType<typeof signIn>>

/** Makes the grants older than the time that suggestions examine, and returns the id of the suggestion about the agent's grant. */
async function findSuggestion(api: Api, dataDir: string, agentId: string): Promise<string> {
	const store = new DatabaseSync(join(dataDir, 'control.db'))
	store.exec('UPDATE access_grants SET created_at = 1, updated_at = 1')
	store.close()
	const { suggestions } = await api<{ suggestions: { id: string; agent: { uuid: string } | null }[] }>(
		'GET',
		'/v1/access/suggestions',
	)
	const found = suggestions.find(({ agent }) => agent?.uuid === agentId)
	if (!found) throw new Error(`No suggestion is about the agent: ${JSON.stringify(suggestions)}`)
	return found.id
}

/** Exports a span of `clientSession` and returns the id of its trace. */
export async function sendTrace(address: string, token: string): Promise<string> {
	const traceId = randomBytes(16).toString('hex')
	const now = `${Date.now()}000000`
	const span = {
		traceId,
		spanId: traceId.slice(16),
		name: 'ours',
		kind: 1,
		startTimeUnixNano: now,
		endTimeUnixNano: now,
		attributes: [{ key: 'session.id', value: { stringValue: clientSession } }],
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

export interface Stranger {
	jwt: string
	key: string
	workspace: string
	webhook: string
}

/** Registers a user with an own workspace, a platform key with all scopes, and a webhook. */
export async function makeStranger(address: string): Promise<Stranger> {
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
	const { workspace } = await call<{ workspace: { id: string } }>(
		address,
		'GET',
		'/auth/me',
		undefined,
		200,
		token,
	)
	const hook = { url: 'http://127.0.0.1:2/', events: ['agents.*'] }
	const { id: webhook } = await call<{ id: string }>(address, 'POST', '/v1/webhooks', hook, 201, token)
	return { jwt: token, key, workspace: workspace.id, webhook }
}
