import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { eventTypes, operationGroups } from '@signalbox/contract'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { hasFormOf } from '../../server/src/accounts/events/testing.ts'
import { readConfig } from '../../server/src/config/config.ts'
import { silentLog } from '../../server/src/platform/log.ts'
import {
	call,
	fillNewDataDir,
	newDataDir,
	owner,
	removeDataDir,
} from '../../server/src/program/program.testing.ts'
import { type Running, run } from '../../server/src/program/run.ts'
import { startEverythingServer } from '../../server/src/servers/testing.ts'
import { exceptions } from './audit-exceptions.ts'
import { changeModelCalls } from './change-model-calls.ts'
import { connectClient } from './connect-client.ts'

const changes = Object.values(operationGroups)
	.flatMap((group) => Object.values(group))
	.filter(({ method }) => method !== 'GET')

type Answer = Record<string, string> & { id: string }

describe('every changing operation writes a record to the audit log', () => {
	const dataDir = newDataDir()
	const recorded = new Map<string, string[]>()
	let running: Running
	let log: DatabaseSync
	let upstream: Awaited<ReturnType<typeof startEverythingServer>>
	let token = ''

	beforeAll(async () => {
		upstream = await startEverythingServer()
		const settings = {
			PORT: '0',
			OTLP_HTTP_PORT: '0',
			OTLP_GRPC_PORT: '0',
			DATA_DIR: dataDir,
			RATE_LIMITS: 'api=off,anonymous=off',
			INIT_ADMIN_EMAIL: owner.email,
			INIT_ADMIN_PASSWORD: owner.password,
		}
		const named = Object.entries(settings).map(([name, value]) => [`SIGNALBOX_${name}`, value])
		await fillNewDataDir(dataDir)
		running = await run(readConfig(Object.fromEntries(named)), silentLog)
		log = new DatabaseSync(join(dataDir, 'control.db'), { readOnly: true })
		token = (await call<Answer>(running.address, 'POST', '/auth/login', owner, 200, '')).token as string
	})
	afterAll(async () => {
		log?.close()
		await running?.stop()
		await upstream?.close()
		removeDataDir(dataDir)
	})

	const actions = () =>
		log
			.prepare('select action from audit_log order by id')
			.all()
			.map(({ action }) => String(action))

	const read = <T>(path: string, as = token) => call<T>(running.address, 'GET', path, undefined, 200, as)

	/** Calls an operation by its id and stores which audit records it wrote. */
	async function did(id: string, path: string, body?: object, as = token): Promise<Answer> {
		const operation = changes.find((other) => other.id === id)
		if (!operation) throw new Error(`There is no operation ${id}.`)
		const before = actions().length
		const answer = await call<Answer>(running.address, operation.method, path, body, operation.status, as)
		if (!(id in exceptions))
			await vi.waitFor(() => expect(actions().length, `${id} left no record`).toBeGreaterThan(before), 2000)
		recorded.set(id, actions().slice(before))
		return answer
	}

	it('servers, agents and access', async () => {
		const server = await did('servers.create', '/v1/mcp/servers', { name: 'One', url: upstream.url })
		const path = `/v1/mcp/servers/${server.id}`
		await did('servers.update', path, { description: 'x' })
		await did('servers.replace', path, { name: 'Two', url: upstream.url })
		await did('servers.refresh-tools', `${path}/tools/refresh`)
		const { definitions } = await read<Record<'definitions', { name: string; current_hash: string }[]>>(
			`${path}/definitions`,
		)
		const decisions = definitions.map((tool) => ({
			name: tool.name,
			hash: tool.current_hash,
			decision: 'approve',
		}))
		await did('tool-definitions.decide', `${path}/definitions/decisions`, { decisions })
		await did('servers.call-tool', `${path}/tools/echo/call`, { arguments: { message: 'x' } })
		const mcpServers = { three: { url: upstream.url } }
		await did('servers.import', '/v1/mcp/servers/import', { mcpServers })
		const agent = await did('agents.create', '/v1/agents', { name: 'A' })
		await did('agents.update', `/v1/agents/${agent.id}`, { description: 'x' })
		for (const verb of ['pause', 'resume', 'stop', 'start'])
			await did(`agents.${verb}`, `/v1/agents/${agent.id}/${verb}`)
		await did('agents.create-key', `/v1/agents/${agent.id}/keys`, { name: 'k' })
		await did('access.create', `${path}/access`, { agent_uuid: agent.id })
		await did('access.update', `${path}/access/${agent.id}`, { enabled: false })
		await did('access.delete', `${path}/access/${agent.id}`)
		const toolset = await did('toolsets.create', '/v1/toolsets', { name: 'T' })
		await did('toolsets.update', `/v1/toolsets/${toolset.id}`, { description: 'x' })
		await did('toolsets.delete', `/v1/toolsets/${toolset.id}`)
		await did('upstream-credentials.replace', `${path}/oauth`, { mode: 'authorization_code' })
		const authorization = await connectClient(running.address, token)
		await did('authorizations.revoke', `/v1/authorizations/${authorization}`)
		await did('agents.delete', `/v1/agents/${agent.id}`)
		await did('servers.delete', path)
	})

	it('approvals and access requests', async () => {
		const post = <T>(path: string, body: object, status = 201) =>
			call<T>(running.address, 'POST', path, body, status, token)
		const server = await post<Answer>('/v1/mcp/servers', { name: 'Asked', url: upstream.url })
		const agent = await post<Answer>('/v1/agents', { name: 'Asking' })
		const path = `/v1/mcp/servers/${server.id}`
		await post(`${path}/access`, { agent_uuid: agent.id, approval: { echo: 'ask' } })
		const ask = async (message: string) => {
			await post(`${path}/tools/echo/call`, { arguments: { message }, agent_uuid: agent.id }, 403)
			const found = await read<{ approvals: { id: string }[] }>('/v1/approvals?status=pending')
			return `/v1/approvals/${found.approvals[0]?.id}`
		}
		const approval = await ask('one')
		await did('approvals.approve', `${approval}/approve`, {})
		await did('approvals.revoke', `${approval}/revoke`)
		await did('approvals.deny', `${await ask('two')}/deny`, {})
		const requests = '/v1/access-requests'
		const wanted = { agent_uuid: agent.id, server: server.id }
		const first = await did('access-requests.create', requests, wanted)
		await did('access-requests.decline', `${requests}/${first.id}/decline`)
		const second = await did('access-requests.create', requests, { ...wanted, tool: 'add' })
		await did('access-requests.grant', `${requests}/${second.id}/grant`)
	})

	it('hosted programs', async () => {
		const made = { name: 'Program', command: 'npx', args: ['ms@2.1.3'] }
		const server = await did('servers.create', '/v1/mcp/servers', made)
		const path = `/v1/mcp/servers/${server.id}/program`
		await did('servers.update-program', path, { allowed_hosts: ['api.example.com'] })
		await did('servers.install-program', `${path}/install`)
		const plain = await did('servers.create', '/v1/mcp/servers', { name: 'Plain', command: 'true' })
		const ofPlain = `/v1/mcp/servers/${plain.id}/program`
		const { acceptance_sentence: sentence } = await read<Answer>(ofPlain)
		await did('servers.accept-without-sandbox', `${ofPlain}/acceptance`, { sentence })
		await did('servers.withdraw-acceptance', `${ofPlain}/acceptance`)
		await did('servers.restart-program', `${ofPlain}/restart`)
	})

	it.each(['keys', 'ingest-tokens'])('%s', async (area) => {
		const made = await did(`${area}.create`, `/v1/${area}`, { name: 'k' })
		await did(`${area}.update`, `/v1/${area}/${made.id}`, { name: 'l' })
		await did(`${area}.rotate`, `/v1/${area}/${made.id}/rotate`)
		await did(`${area}.cancel-rotation`, `/v1/${area}/${made.id}/rotation`)
		await did(`${area}.revoke`, `/v1/${area}/${made.id}`)
	})

	it('model calls, budgets and prices', () => changeModelCalls(did))

	it('limits, recording, retention and redaction', async () => {
		await did('limits.replace', '/v1/limits', { limits: [] })
		await did('sharing.replace', '/v1/sharing', { enabled: true })
		await did('call-recording.replace', '/v1/call-recording', { mode: 'best-effort' })
		await did('retention.replace', '/v1/retention', { traces_days: 7, logs_days: null, metrics_days: 7 })
		const rule = { name: 'own', pattern: 'x', label: 'x', applies_to: ['content'] }
		const { id } = await did('redaction-rules.create', '/v1/redaction-rules', rule)
		await did('redaction-rules.update', `/v1/redaction-rules/${id}`, { label: 'y' })
		await did('redaction-rules.delete', `/v1/redaction-rules/${id}`)
		await did('telemetry-erasures.create', '/v1/telemetry/erasures', { session_id: 's' })
		await did('telemetry-renormalisations.create', '/v1/telemetry/renormalisations', {})
	})

	it('dashboards', async () => {
		const { id } = await did('dashboards.create', '/v1/dashboards', { name: 'Ours' })
		await did('dashboards.update', `/v1/dashboards/${id}`, { name: 'Theirs' })
		await did('dashboards.delete', `/v1/dashboards/${id}`)
	})

	it('saved views and alerts', async () => {
		const { id } = await did('questions.create', '/v1/questions', { name: 'Errors', read: 'errors' })
		await did('questions.update', `/v1/questions/${id}`, { range: '1h' })
		const watch = { name: 'Many errors', question_id: id, figure: 'errors', condition: 'above', threshold: 5 }
		const alert = await did('alerts.create', '/v1/alerts', watch)
		await did('alerts.update', `/v1/alerts/${alert.id}`, { for_s: 60 })
		await did('alerts.test', `/v1/alerts/${alert.id}/test`)
		await did('alerts.delete', `/v1/alerts/${alert.id}`)
		await did('questions.delete', `/v1/questions/${id}`)
	})

	it('forwarders', async () => {
		const out = { name: 'Out', kind: 'otlp', url: 'http://127.0.0.1:2/', signals: ['audit'], enabled: false }
		const { id } = await did('forwarders.create', '/v1/forwarders', out)
		await did('forwarders.update', `/v1/forwarders/${id}`, { name: 'Away' })
		await did('forwarders.test', `/v1/forwarders/${id}/test`)
		await did('forwarders.delete', `/v1/forwarders/${id}`)
	})

	it('webhooks', async () => {
		const hook = { url: 'http://127.0.0.1:2/', events: ['agents.*'] }
		const { id } = await did('webhooks.create', '/v1/webhooks', hook)
		const path = `/v1/webhooks/${id}`
		await did('webhooks.update', path, { description: 'x' })
		await did('webhooks.rotate-secret', `${path}/rotate-secret`)
		const delivery = await did('webhooks.test', `${path}/test`)
		await did('webhooks.replay', `${path}/deliveries/${delivery.id}/replay`)
		await did('webhooks.delete', path)
	})

	const register = async (email: string) => {
		const answer = await did('auth.register', '/auth/register', { email, password: owner.password }, '')
		return {
			token: answer.token as string,
			email,
			id: (answer as unknown as { user: { id: string } }).user.id,
		}
	}
	const login = (email: string, password = owner.password) =>
		did('auth.login', '/auth/login', { email, password }, '')
	const ownWorkspace = async () => (await read<{ workspace: { id: string } }>('/auth/me')).workspace.id
	const linkTo = async (email: string) => {
		const { mail_links } = await call<{ mail_links: { to: string; link: string }[] }>(
			running.address,
			'GET',
			'/v1/mail-links?limit=100',
			undefined,
			200,
			token,
		)
		return mail_links.find(({ to }) => to === email)?.link
	}
	const mailedTo = async (email: string) => {
		// The link is written after the response, so that the response time does not reveal whether the account exists.
		const link = await vi.waitFor(async () => {
			const found = await linkTo(email)
			expect(found).toBeDefined()
			return found as string
		}, 10_000)
		return new URLSearchParams(new URL(link).hash.slice(1)).get('token') as string
	}

	it('accounts and sessions', async () => {
		const { email, token: first } = await register('ann@example.org')
		await did('auth.verify', '/auth/verify', { token: await mailedTo(email) }, '')
		const second = await login(email)
		const { sessions } = await call<{ sessions: { id: string; current: boolean }[] }>(
			running.address,
			'GET',
			'/auth/sessions',
			undefined,
			200,
			first,
		)
		const other = sessions.find(({ current }) => !current) as { id: string }
		await did('auth.sessions.revoke', `/auth/sessions/${other.id}`, undefined, first)
		await did('auth.me.update', '/auth/me', { time_zone: 'Europe/Berlin' }, first)
		const password = 'another long passphrase'
		const change = { current_password: owner.password, new_password: password }
		await did('auth.password.change', '/auth/password/change', change, first)
		await did('auth.password.forgot', '/auth/password/forgot', { email }, '')
		const reset = { token: await mailedTo(email), password: owner.password }
		await did('auth.password.reset', '/auth/password/reset', reset, '')
		const third = (await login(email)).token as string
		await did('auth.sessions.end', '/auth/sessions', undefined, third)
		await did('auth.logout', '/auth/logout', undefined, (await login(email)).token)
		expect(second.token).not.toBe(third)
	})

	it('workspaces, members and invitations', async () => {
		const path = `/v1/workspaces/${await ownWorkspace()}`
		await did('workspaces.update', path, { name: 'renamed' })
		const guest = await register('bob@example.org')
		const invited = await did('invitations.create', `${path}/invitations`, { email: guest.email })
		const again = await did('invitations.resend', `${path}/invitations/${invited.id}/resend`)
		const secret = new URLSearchParams(new URL(again.link as string).hash.slice(1)).get('token')
		await did('invitations.accept', '/auth/invitations/accept', { token: secret }, guest.token)
		await did('members.update', `${path}/members/${guest.id}`, { role: 'viewer' })
		await did('members.remove', `${path}/members/${guest.id}`)
		const next = await did('invitations.create', `${path}/invitations`, { email: 'eve@example.org' })
		await did('invitations.revoke', `${path}/invitations/${next.id}`)
		const made = await did('workspaces.create', '/v1/workspaces', { name: 'gone' })
		const inside = await did('auth.switch', '/auth/switch', { workspace_id: made.id })
		await did('workspaces.delete', `/v1/workspaces/${made.id}?confirm=gone`, undefined, inside.token)
		await did('demo.create', '/v1/demo')
		await did('demo.delete', '/v1/demo')
	})

	it('the instance', async () => {
		await did('instance.rights', `/v1/workspaces/${await ownWorkspace()}/rights`, { stdio: false })
		await did('settings.update', '/v1/settings', { signup: { value: 'invite' } })
		await did('instance.rotate-signing-keys', '/v1/instance/signing-keys/rotate')
		await did('instance.rotate-master-key', '/v1/instance/master-key/rotate')
	})

	it('covers every changing operation of the contract', () => {
		const ids = changes.map(({ id }) => id)
		expect(ids.filter((id) => !recorded.has(id) && !(id in exceptions))).toEqual([])
		expect(Object.keys(exceptions).filter((id) => !ids.includes(id))).toEqual([])
	})

	it('every audit action is a type in the event catalogue, and every event matches the schema of its type', () => {
		// When a workspace is deleted, it has no members left to notify.
		const unreported = [...new Set(actions())].filter((action) => !(action in eventTypes))
		expect(unreported).toEqual(['workspaces.delete'])
		const events = log.prepare('select type, data from events').all()
		const formless = events.filter(({ type, data }) => !hasFormOf(String(type), JSON.parse(String(data))))
		expect(formless).toEqual([])
		expect(events.length).toBeGreaterThan(50)
	})
})
