import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../../server/src/config/config.ts'
import { silentLog } from '../../server/src/platform/log.ts'
import { call, newDataDir, owner, removeDataDir } from '../../server/src/program/program.testing.ts'
import { type Running, run } from '../../server/src/program/run.ts'
import { startEverythingServer } from '../../server/src/servers/testing.ts'
import { fill, type Ids, makeObjects, makeStranger, signIn, unknownIds } from './tenancy-objects.ts'

/** Bodies that reach the lookup of the object: validation comes first. */
const bodies: Record<string, (ids: Ids) => unknown> = {
	'workspaces.update': () => ({ name: 'Taken' }),
	'sharing.create': () => ({}),
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
	'routes.update': () => ({ retries: 1 }),
	'hooks.update': () => ({ enabled: false }),
	'model-limits.update': () => ({ concurrency: 1 }),
	'questions.update': () => ({ name: 'x' }),
	'dashboards.update': () => ({ name: 'x' }),
	'alerts.update': () => ({ enabled: false }),
	'budgets.update': () => ({ limit: '1' }),
	'prices.end': () => ({}),
	'redaction-rules.update': () => ({ label: 'x' }),
	'forwarders.update': () => ({ enabled: false }),
	'webhooks.update': () => ({ enabled: false }),
	'upstream-credentials.replace': () => ({ mode: 'none' }),
	'provider-keys.update': () => ({ base_url: 'http://127.0.0.1:9/v1' }),
}

const queries: Record<string, string> = {
	'workspaces.delete': '?confirm=default',
	'tool-definitions.versions': '?name=echo',
	'tool-definitions.diff': '?name=echo',
}

/** They are about sign-in providers, of which there is none here; server/src/accounts/identity/federation has their tests. */
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
			OTLP_GRPC_PORT: '0',
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

	it.concurrent.each(['a signed-in owner', 'a platform key with all scopes'])(
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
				const [real, unknown] = await Promise.all([
					answerOf(route, ours, credential),
					answerOf(route, { ...ours, ...unknownIds() }, credential),
				])
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
		'/v1/routes',
		'/v1/hooks',
		'/v1/model-limits',
		'/v1/webhooks',
		'/v1/forwarders',
		'/v1/budgets',
		'/v1/redaction-rules',
		'/v1/questions',
		'/v1/dashboards',
		'/v1/access/matrix',
		'/v1/alerts',
		'/v1/prices',
		'/v1/authorizations',
		'/v1/telemetry/spans?start=-1h',
		'/v1/telemetry/logs?start=-1h',
		'/v1/telemetry/metrics?start=-1h',
		'/v1/telemetry/tool-links?session_id=ours',
		'/v1/spotlight/cache-misses?start=-1h',
		'/v1/spotlight/tool-costs?start=-1h',
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
			ours.forwarder,
			ours.budget,
			ours.redactionRule,
			ours.question,
			ours.alert,
			ours.price,
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
