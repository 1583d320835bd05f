import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { GrantEntry } from '../access-grants/index.ts'
import type { AgentEntry } from '../agents/index.ts'
import { systemClock } from '../platform/clock.ts'
import { createSealer } from '../platform/crypto/seal.ts'
import { openTestSqlite } from '../platform/database/testing.ts'
import { Problem } from '../platform/errors.ts'
import { createDoor, LiveRequests, type Principal, refuseWithProblem } from '../platform/http/index.ts'
import { newId } from '../platform/ids.ts'
import { silentLog } from '../platform/log.ts'
import { createSafeFetch } from '../platform/safe-fetch.ts'
import type { ServerEntry, ToolDefinition } from '../servers/index.ts'
import { openRecorder, type SpanRow } from '../telemetry/index.ts'
import { openGateway, refuseMcp } from './index.ts'
import type { Limits } from './limits.ts'

/** A gateway behind the real door, with the real log and SQLite; agents, servers and grants are set by the test. */
export interface TestGateway {
	url: string
	agents: Map<string, AgentEntry>
	servers: Map<string, ServerEntry>
	grants: Map<string, GrantEntry>
	/** Every outcome in the log, oldest first. */
	rows: SpanRow[]
	live: LiveRequests
	revoked: Set<string>
	stale: boolean
	workspaceId: string
	addAgent(name: string): Promise<{ id: string; key: string }>
	addPlatformKey(): Promise<string>
	addServer(
		entry: Partial<ServerEntry> & { name: string; url: string; tools: readonly ToolDefinition[] },
	): ServerEntry
	grant(agentId: string, serverId: string, tools: readonly string[] | null): GrantEntry
	/** Says that permissions changed, as the change feed does. */
	applied(): void
	/** Opens the same gateway anew on the same store, as after a restart. */
	restart(): Promise<void>
	close(): Promise<void>
}

export async function openTestGateway(limits: Partial<Limits> = {}): Promise<TestGateway> {
	const { store, end: endStore } = await openTestSqlite()
	const directory = mkdtempSync(join(tmpdir(), 'signalbox-gateway-'))
	const recorder = await openRecorder({
		directory,
		store: { insertRowBinary: async () => {} },
		log: silentLog,
		clock: systemClock,
	})
	const safeFetch = createSafeFetch({ allowedNetworks: null, loopbackAllowed: true, forbidden: () => [] })
	const principals = new Map<string, Principal>()
	const listeners: (() => void)[] = []
	const sealer = createSealer(randomBytes(32))
	const workspaceId = newId()
	const now = systemClock.nowMs()
	await store.db
		.insertInto('workspaces')
		.values({ id: workspaceId, name: 'Test', created_at: now, updated_at: now })
		.execute()

	const agents = new Map<string, AgentEntry>()
	const servers = new Map<string, ServerEntry>()
	const grants = new Map<string, GrantEntry>()
	const rows: SpanRow[] = []
	recorder.onRecorded((recorded) => rows.push(...recorded))

	const open = () =>
		openGateway({
			store,
			sealer,
			recorder,
			safeFetch,
			limits,
			version: '1.2.3',
			log: silentLog,
			clock: systemClock,
			feed: { isStale: () => gateway.stale, onApplied: (listener) => void listeners.push(listener) },
			identity: {
				stillValid: ({ kind, ...rest }) =>
					kind !== 'user' && 'keyId' in rest && gateway.revoked.has(rest.keyId)
						? new Problem('unauthenticated', 'The key was revoked.')
						: null,
			},
			agents: { view: { get: (id) => agents.get(id) }, noteSeen: () => {} },
			servers: {
				view: {
					get: (id) => servers.get(id),
					find: (workspace, name) =>
						[...servers.values()].find(
							(server) => server.workspaceId === workspace && (server.id === name || server.slug === name),
						),
					list: (workspace) => [...servers.values()].filter((server) => server.workspaceId === workspace),
				},
			},
			grants: {
				view: {
					get: (agentId, serverId) => grants.get(`${agentId} ${serverId}`),
					ofAgent: (agentId) => [...grants.values()].filter((grant) => grant.agentId === agentId),
				},
			},
		})

	const live = new LiveRequests()
	const authenticate = (request: IncomingMessage) => {
		const principal = principals.get(request.headers.authorization?.replace('Bearer ', '') ?? '')
		return principal && 'keyId' in principal && !gateway.revoked.has(principal.keyId) ? principal : null
	}
	const newDoor = (routes: ReturnType<typeof open>['routes']) =>
		createDoor({
			routes,
			authenticate,
			refusals: {
				api: refuseWithProblem,
				page: refuseWithProblem,
				model: refuseWithProblem,
				otlp: refuseWithProblem,
				mcp: refuseMcp,
			},
			checkOrigin: () => null,
			onDenied: () => {},
			liveRequests: live,
			log: silentLog,
		})

	const gateway: TestGateway = {
		url: '',
		agents,
		servers,
		grants,
		rows,
		live,
		revoked: new Set(),
		stale: false,
		workspaceId,
		addAgent: async (name) => {
			const id = newId()
			const key = `key-${id}`
			await store.db
				.insertInto('agents')
				.values({
					id,
					workspace_id: workspaceId,
					name,
					description: '',
					status: 'active',
					last_seen_at: null,
					created_at: now,
					updated_at: now,
				})
				.execute()
			agents.set(id, { id, workspaceId, name, status: 'active' })
			principals.set(key, {
				kind: 'agent_key',
				keyId: await addCredential(`${name}'s key`, id),
				name: `${name}'s key`,
				workspaceId,
				agentId: id,
				scopes: new Set(['mcp:invoke']),
			})
			return { id, key }
		},
		addPlatformKey: async () => {
			const keyId = await addCredential('platform', null)
			principals.set(`platform-${keyId}`, {
				kind: 'platform_key',
				keyId,
				name: 'platform',
				workspaceId,
				scopes: new Set(['mcp:invoke']),
			})
			return `platform-${keyId}`
		},
		addServer: (entry) => {
			const server: ServerEntry = {
				id: newId(),
				workspaceId,
				slug: entry.name.toLowerCase(),
				transportType: 'http',
				status: 'active',
				healthStatus: 'healthy',
				protocolVersion: '2025-11-25',
				headers: new Map(),
				...entry,
			}
			servers.set(server.id, server)
			return server
		},
		grant: (agentId, serverId, tools) => {
			const grant: GrantEntry = {
				id: newId(),
				workspaceId,
				agentId,
				serverId,
				accessMode: tools ? 'selected' : 'all',
				allowedTools: tools && new Set(tools),
				enabled: true,
			}
			grants.set(`${agentId} ${serverId}`, grant)
			return grant
		},
		applied: () => {
			live.recheck()
			for (const listener of listeners) listener()
		},
		restart: async () => {
			await opened.close()
			opened = open()
			door = newDoor(opened.routes)
		},
		close: async () => {
			listener.closeAllConnections()
			await new Promise((resolve) => listener.close(resolve))
			await opened.close()
			await recorder.close(0)
			await safeFetch.close()
			await endStore()
			rmSync(directory, { recursive: true, force: true })
		},
	}
	const addCredential = async (name: string, agentId: string | null) => {
		const id = newId()
		const row = {
			id,
			workspace_id: workspaceId,
			kind: agentId ? 'agent' : 'platform',
			name,
			hash: id,
			prefix: 'sk',
			last4: '0000',
			scopes: '[]',
			agent_id: agentId,
			created_by: null,
			created_at: now,
			last_used_at: null,
			expires_at: null,
			revoked_at: null,
		}
		await store.db.insertInto('credentials').values(row).execute()
		return id
	}
	let opened = open()
	let door = newDoor(opened.routes)
	const listener = createServer((request, response) => door(request, response))
	await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
	gateway.url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`
	return gateway
}

/** The tools of an MCP server as the registry would keep them: asked for with plain JSON-RPC. */
export async function readTools(url: string, era: 'legacy' | 'modern'): Promise<ToolDefinition[]> {
	const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
	const ask = async (extra: Record<string, string>, method: string, params: object) => {
		const response = await fetch(url, {
			method: 'POST',
			headers: { ...headers, ...extra },
			body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
		})
		const text = await response.text()
		const json = text.startsWith('{') ? text : (text.match(/^data: (\{.*\})$/m)?.[1] ?? '')
		return {
			body: JSON.parse(json) as { result: { tools: ToolDefinition[] } },
			session: response.headers.get('mcp-session-id'),
		}
	}
	if (era === 'modern') {
		const meta = {
			'io.modelcontextprotocol/protocolVersion': '2026-07-28',
			'io.modelcontextprotocol/clientCapabilities': {},
		}
		return (
			await ask({ 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' }, 'tools/list', {
				_meta: meta,
			})
		).body.result.tools
	}
	const opened = await ask({}, 'initialize', {
		protocolVersion: '2025-11-25',
		capabilities: {},
		clientInfo: { name: 'test', version: '1' },
	})
	const session = { 'mcp-session-id': opened.session ?? '' }
	await fetch(url, {
		method: 'POST',
		headers: { ...headers, ...session },
		body: '{"jsonrpc":"2.0","method":"notifications/initialized"}',
	})
	return (await ask(session, 'tools/list', {})).body.result.tools
}
