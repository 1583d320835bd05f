import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Agents, openAgents, openAgentView } from '../access/agents/agents.ts'
import { openApprovals } from '../access/approvals/approvals.ts'
import { openAccessGrants } from '../access/grants/index.ts'
import type { UpstreamCredentials } from '../access/upstream-credentials/upstream-credentials.ts'
import {
	startTestApp,
	type TestApp,
	type TestAreas,
	type TestCore,
	type TestOptions,
} from '../accounts/identity/testing.ts'
import type { View } from '../platform/changes.ts'
import { systemClock } from '../platform/clock.ts'
import type { ControlStore } from '../platform/database/database.ts'
import { openTestSqlite } from '../platform/database/testing.ts'
import type { Route } from '../platform/http/route.ts'
import { silentLog } from '../platform/log.ts'
import { createSafeFetch, type SafeFetch } from '../platform/safe-fetch.ts'
import { openServers, openServerView, type Servers } from '../servers/servers.ts'
import { openToolDefinitions } from '../servers/tool-definitions/tool-definitions.ts'
import { type CallLog, openRecorder, RowMaker, type SpanRow } from '../telemetry/index.ts'
import { openGateway, refuseMcp } from './index.ts'
import type { Limits } from './limits.ts'

/** The control plane and the gateway, wired as in `app.ts`, behind the real ingress and with the real log. */
export interface TestGateway extends TestApp {
	/** Every outcome in the log, oldest first. */
	rows: SpanRow[]
	/** When true, permissions count as too old to be used. */
	stale: boolean
	/** Runs after the approval of a call was requested, before the call waits for it. */
	afterAsking: () => Promise<void>
	/** Makes a management call as the owner; resolves with its body. */
	// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer has.
	manage(method: string, path: string, body?: object): Promise<any>
	addAgent(name: string): Promise<TestAgent>
	/** Registers a server, whose tools are then listed; resolves with its id. */
	addServer(name: string, url: string, headers?: Record<string, string>): Promise<string>
	/** Grants these tools, or all for null. Use it once for each agent and server. */
	grant(agentId: string, serverId: string, tools: readonly string[] | null): Promise<void>
	/** Reopens the gateway on the same store, as after a restart. */
	restart(): Promise<void>
}

export interface TestAgent {
	id: string
	key: string
	keyId: string
}

/** Opens further areas beside the gateway, on the same control plane. */
export type MoreAreas = (
	core: TestCore & { agents: Agents; servers: Servers; safeFetch: SafeFetch },
) => TestAreas & { upstreamCredentials?: UpstreamCredentials }

interface Parts {
	more: MoreAreas
	calls: CallLog
	rowMaker: RowMaker
	safeFetch: SafeFetch
	limits: Partial<Limits>
	rows: SpanRow[]
	stale: boolean
	afterAsking: () => Promise<void>
}

/** Opens a gateway on a new SQLite store. */
export async function openTestGateway(limits: Partial<Limits> = {}, more?: MoreAreas): Promise<TestGateway> {
	const { store, end } = await openTestSqlite()
	const gateway = await openTestGatewayOn(store, limits, more)
	const closeGateway = gateway.close
	const close = async () => {
		await closeGateway()
		await end()
	}
	return Object.assign(gateway, { close })
}

export async function openTestGatewayOn(
	store: ControlStore,
	limits: Partial<Limits> = {},
	more: MoreAreas = () => ({}),
	options: Pick<TestOptions, 'masterKey' | 'withoutOwner'> = {},
): Promise<TestGateway> {
	const directory = mkdtempSync(join(tmpdir(), 'signalbox-gateway-'))
	const recorder = await openRecorder({
		directory,
		store: { insertRowBinary: async () => {} },
		log: silentLog,
		clock: systemClock,
		keyOf: (name) => Buffer.from(name.padEnd(64).slice(-32)),
	})
	const safeFetch = createSafeFetch({ allowedNetworks: null, loopbackAllowed: true, forbidden: () => [] })
	const rowMaker = new RowMaker({ recorder, log: silentLog })
	// An answer is complete only when its rows exist, so that tests need not wait for them.
	const calls: Parts['calls'] = {
		announceTo: (...call) => recorder.announceTo(...call),
		concludeTo: (listener, ...end) => {
			const onRecorded = () => void recorder.whenRowsMade().then(() => listener.onRecorded())
			const onUnrecorded = (error: unknown) => listener.onUnrecorded(error)
			recorder.concludeTo({ onRecorded, onUnrecorded }, ...end)
		},
		servesUnrecorded: (...failed) => recorder.servesUnrecorded(...failed),
		announce: (...call) => recorder.announce(...call),
		conclude: async (intent, facts) => {
			await recorder.conclude(intent, facts)
			await recorder.whenRowsMade()
		},
	}
	const parts: Parts = {
		more,
		calls,
		rowMaker,
		safeFetch,
		limits,
		rows: [],
		stale: false,
		afterAsking: async () => {},
	}
	recorder.onRecorded((recorded) => parts.rows.push(...recorded))
	let areas: ReturnType<typeof openAreas> | undefined
	const app = await startTestApp(store, {
		...options,
		open: (core) => {
			areas = openAreas(core, parts)
			return areas
		},
	})
	const close = async () => {
		await areas?.close()
		await app.close()
		await rowMaker.close()
		await recorder.close(0)
		await safeFetch.close()
		rmSync(directory, { recursive: true, force: true })
	}
	const restart = async () => areas?.restart()
	return Object.assign(parts, app, { ...managing(app), restart, close })
}

function openAreas(core: TestCore, parts: Parts) {
	const { safeFetch, calls, rowMaker, limits } = parts
	const hosting = { readable: [resolve('node_modules'), resolve('server/src/servers/programs')] }
	const views = { agents: openAgentView(core), servers: openServerView({ ...core, hosting }) }
	const grants = openAccessGrants({ ...core, ...views })
	const { deriveGrants } = grants
	const agents = openAgents({
		...core,
		view: views.agents,
		publicUrl: null,
		deriveGrants,
		modelWarnings: () => [],
	})
	const servers = openServers({
		...core,
		safeFetch,
		view: views.servers,
		agents: views.agents,
		accessOf: grants.accessOf,
		callTool: (call) => gateway.callTool(call),
		mayRunPrograms: core.instance.mayRunPrograms,
		hosting,
		publicAddress: () => 'http://127.0.0.1:7777',
		credentialForChecks: async (server) =>
			(await more.upstreamCredentials?.credentialForChecks(server)) ?? null,
	})
	const approvals = openApprovals(core)
	const gate = {
		...approvals.gate,
		ask: async (call: Parameters<typeof approvals.gate.ask>[0]) => {
			const standing = await approvals.gate.ask(call)
			await parts.afterAsking()
			return standing
		},
	}
	const definitions = openToolDefinitions(core)
	const more = parts.more({ ...core, agents, servers, safeFetch })
	let added: View[] = []
	const feed = {
		isStale: () => parts.stale || core.feed.isStale(),
		onApplied: core.feed.onApplied.bind(core.feed),
		add: (view: View) => {
			added.push(view)
			core.feed.add(view)
		},
	}
	const open = () =>
		openGateway({
			...core,
			feed,
			agents,
			servers,
			grants,
			approvals: { gate },
			...(more.upstreamCredentials && { upstreamCredentials: more.upstreamCredentials }),
			calls,
			rowMaker,
			rulesOf: () => ({ retentionDays: 30, rules: undefined }),
			safeFetch: servers,
			limits,
			publicAddress: () => 'http://127.0.0.1:7777',
			version: '1.2.3',
		})
	let gateway = open()
	core.feed.add(rowMaker)
	core.feed.onApplied(() => rowMaker.start())
	// As in app.ts: grants and keys also expire on their own.
	const expiry = setInterval(() => core.liveRequests.recheck(), 1000).unref()
	// The ingress keeps its routes, so each of them looks up the current gateway.
	const routes: Route[] = gateway.routes.map((route, index) => ({
		...route,
		handle: (...httpRequest) => gateway.routes[index]?.handle(...httpRequest),
	}))
	return {
		operations: [
			...agents.operations,
			...servers.operations,
			...grants.operations,
			...approvals.operations,
			...definitions.operations,
			...(more.operations ?? []),
		],
		routes: [...routes, ...(more.routes ?? [])],
		refusals: { mcp: refuseMcp, ...more.refusals },
		restart: async () => {
			await gateway.close()
			added = []
			gateway = open()
			// The feed is already running, so nothing else would load these views.
			for (const view of added) await view.load()
		},
		close: async () => {
			clearInterval(expiry)
			await gateway.close()
			await Promise.all([agents.close(), servers.close()])
		},
	}
}

function managing(app: TestApp): Pick<TestGateway, 'manage' | 'addAgent' | 'addServer' | 'grant'> {
	const manage: TestGateway['manage'] = async (method, path, body) => {
		const answer = await app.request(method, path, { token: app.owner.token, ...(body && { body }) })
		if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`)
		return answer.body
	}
	return {
		manage,
		addAgent: async (name) => {
			const { id } = await manage('POST', '/v1/agents', { name })
			const { id: keyId, key } = await manage('POST', `/v1/agents/${id}/keys`, { name: 'first' })
			return { id, key, keyId }
		},
		addServer: async (name, url, headers = {}) =>
			(await manage('POST', '/v1/mcp/servers', { name, url, headers })).id,
		grant: (agentId, serverId, tools) =>
			manage('POST', `/v1/mcp/servers/${serverId}/access`, {
				agent_uuid: agentId,
				...(tools ? { access_mode: 'selected', allowed_tools: tools } : { access_mode: 'all' }),
			}),
	}
}
