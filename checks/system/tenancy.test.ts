import { afterAll, beforeAll, describe, expect, it } from 'vitest'
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
import {
	fill,
	type Ids,
	makeObjects,
	makeStranger,
	type Stranger,
	signIn,
	unknownIds,
} from './tenancy-objects.ts'

/** Valid bodies, because a request is validated before its object is looked up. */
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

/** Queries of the routes that list something without an id in the path. */
const listQueries: Record<string, string> = {
	'prices.effective': '?provider=openai&model=ours',
	'ledger.versions': `?trace_id=${'0'.repeat(31)}1&span_id=${'0'.repeat(15)}1`,
	'spotlight.facets': '?fields=agent',
	'spotlight.export': '?list=agents',
	'spotlight.mcp_export': '?question=retry_loops',
	'telemetry.tool_links': '?session_id=ours',
}

/** Two streams of events, which do not end, and the points of one metric, which the other workspace does not have. */
const notLists: ReadonlySet<string> = new Set(['events.stream', 'telemetry.live', 'telemetry.points'])

/** The list in which each kind of object appears. */
const ownLists: Record<string, string> = {
	session: '/auth/sessions',
	workspace: '/v1/workspaces',
	server: '/v1/mcp/servers',
	agent: '/v1/agents',
	toolset: '/v1/toolsets',
	approval: '/v1/approvals',
	accessRequest: '/v1/access-requests',
	suggestion: '/v1/access/suggestions',
	key: '/v1/keys',
	token: '/v1/ingest-tokens',
	connection: '/v1/provider-keys',
	route: '/v1/routes',
	modelLimit: '/v1/model-limits',
	hook: '/v1/hooks',
	webhook: '/v1/webhooks',
	forwarder: '/v1/forwarders',
	redactionRule: '/v1/redaction-rules',
	budget: '/v1/budgets',
	question: '/v1/questions',
	dashboard: '/v1/dashboards',
	alert: '/v1/alerts',
	price: '/v1/prices',
	authorization: '/v1/authorizations',
	trace: '/v1/telemetry/spans',
	clientSession: '/v1/spotlight/shares',
	share: '/v1/spotlight/shares',
}

/** Lists that belong to one workspace or one webhook, by what they list. */
const listsOf = ({ workspace, webhook }: Ids | Stranger) => ({
	member: `/v1/workspaces/${workspace}/members`,
	invitation: `/v1/workspaces/${workspace}/invitations`,
	delivery: `/v1/webhooks/${webhook}/deliveries`,
})

/** Routes of sign-in providers, of which this program has none. Their tests are in server/src/accounts/identity/federation. */
const objectless: ReadonlySet<string> = new Set(['auth.identities.unlink', 'auth.oauth.link'])

describe('an object of another workspace', () => {
	const dataDir = newDataDir()
	let running: Running
	let ours: Ids
	let theirs: Stranger
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
		await fillNewDataDir(dataDir)
		running = await run(readConfig(Object.fromEntries(environment)), silentLog)
		ours = await makeObjects(running.address, dataDir, upstream.url)
		theirs = await makeStranger(running.address)
	})
	afterAll(async () => {
		await running?.stop()
		await upstream?.close()
		removeDataDir(dataDir)
	})

	it.concurrent.each(['a signed-in owner', 'a platform key with all scopes'])(
		'gets the same response as one that does not exist, for %s on every route with an id',
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
				// A route whose path has no id of ours would prove nothing.
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

	it('is not changed by these requests', async () => {
		const api = await signIn(running.address)
		expect(await api('GET', `/v1/mcp/servers/${ours.server}`)).toMatchObject({
			name: 'Everything',
			description: '',
			agent_access: [{ enabled: true }],
		})
		expect(await api('GET', `/v1/agents/${ours.agent}`)).toMatchObject({ name: 'Ours', status: 'active' })
	})

	it('is in no list that the caller can read', async () => {
		const routes = running.routes.filter(
			({ id, family, method, path, access }) =>
				family === 'api' &&
				method === 'GET' &&
				!/\{/.test(path) &&
				!access.public &&
				!access.operator &&
				access.kinds.includes('user') &&
				!notLists.has(id),
		)
		const paths = routes.map(({ id, path }) => path + (listQueries[id] ?? ''))
		expect(paths.length).toBeGreaterThan(70)
		const found: string[] = []
		for (const path of [...paths, ...Object.values(listsOf(theirs))]) {
			const text = await textOf(path, theirs.jwt)
			for (const [name, id] of Object.entries(ours)) if (text.includes(id)) found.push(`${name} in ${path}`)
		}
		expect(found).toEqual([])
	})

	it('is in a list of its own workspace, which proves that the test above can fail', async () => {
		const { token } = await call<{ token: string }>(running.address, 'POST', '/auth/login', owner, 200, '')
		const lists: Record<string, string> = { ...ownLists, ...listsOf(ours) }
		expect(Object.keys(lists).sort()).toEqual(Object.keys(ours).sort())
		for (const [name, path] of Object.entries(lists))
			expect(await textOf(path, token), `${name} in ${path}`).toContain(ours[name])
	})

	async function textOf(path: string, token: string): Promise<string> {
		const response = await fetch(running.address + path, { headers: { authorization: `Bearer ${token}` } })
		const text = await response.text()
		expect([path, response.status, text]).toEqual([path, 200, text])
		return text
	}

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
