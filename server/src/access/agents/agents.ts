import {
	type AgentStatus,
	agentOperations,
	type BodyOf,
	type OutputOf,
	type QueryOf,
	type ToolListing,
} from '@signalbox/contract'
import type { Actor } from '../../accounts/audit/audit.ts'
import { appendChange, type ChangeFeed, type View } from '../../platform/changes.ts'
import type { ControlStore, Database, DatabaseTransaction } from '../../platform/database/database.ts'
import { notFound } from '../../platform/errors.ts'
import { type BoundOperation, bind } from '../../platform/http/operations.ts'
import { principalIn, type RequestContext } from '../../platform/http/route.ts'
import { LastUses } from '../../platform/last-uses.ts'
import { readCallLimit } from '../../platform/limits/call-limit.ts'
import type { Log } from '../../platform/log.ts'
import { paginate } from '../../platform/paging.ts'
import { type AgentEntry, type AgentView, presentAgent, toModelAccess } from './agent.ts'
import {
	type AgentRow,
	findAgent,
	findAgentForView,
	findAgentWithUse,
	findServer,
	listAgents,
	listAgentsForView,
	replaceGroups,
	touchAgent,
} from './agent-repository.ts'
import {
	type AddedAgent,
	type AgentContext,
	addAgent,
	agentOrNotFound,
	changeAgent,
	changeStatus,
	createAgent,
	type OnRemovedAgent,
	removeAgent,
} from './change-agents.ts'

export { type AgentEntry, type AgentView, everyModel, type ModelAccess } from './agent.ts'

export interface Agents {
	operations: BoundOperation[]
	view: AgentView
	/** Creates an agent in the caller's transaction. Resolves with its id. */
	add(tx: DatabaseTransaction, agent: AddedAgent): Promise<string>
	/** Changes an agent's groups in the caller's transaction, which must have begun with `lockGroups`. */
	changeGroups(tx: DatabaseTransaction, agent: AgentGroupChange): Promise<void>
	/** The listener is called in the transaction that deletes an agent. */
	onRemove(listener: OnRemovedAgent): void
	/** Records that an agent made a call; written in batches. */
	noteSeen(agentId: string): void
	close(): Promise<void>
}

export interface AgentDependencies extends Omit<AgentContext, 'onRemove'> {
	view: AgentView
	log: Log
}

export function openAgents({ view, log, ...dependencies }: AgentDependencies): Agents {
	const agents: AgentContext = { ...dependencies, onRemove: [] }
	const seen = new LastUses({
		...{ db: agents.store.db, clock: agents.clock, log, of: 'agents' },
		touch: (tx, { id }, atMs) => touchAgent(tx, id, atMs),
	})
	return {
		operations: agentRoutes(agents),
		view,
		add: (tx, agent) => addAgent(agents, tx, agent),
		changeGroups: (tx, agent) => changeAgentGroups(agents, tx, agent),
		onRemove: (listener) => void agents.onRemove.push(listener),
		noteSeen: seen.note,
		close: () => seen.close(),
	}
}

/** Opens the view of all agents separately: other areas need it, and the agents area needs some of those. */
export function openAgentView({ store, feed }: { store: ControlStore; feed: ChangeFeed }): AgentView {
	const view = createAgentView(store.db)
	feed.add(view)
	return view
}

/** All agents in memory, kept in sync with the store by the change feed. */
export function createAgentView(db: Database): AgentView & View {
	let agents = new Map<string, AgentEntry>()
	return {
		kinds: ['agent'],
		get: (agentId) => agents.get(agentId),
		load: async () => {
			agents = new Map((await listAgentsForView(db)).map((row) => [row.id, toEntry(row)]))
		},
		apply: async (_kind, id) => {
			const row = await findAgentForView(db, id)
			if (row) agents.set(id, toEntry(row))
			else agents.delete(id)
		},
	}
}

function toEntry(row: AgentRow): AgentEntry {
	return {
		id: row.id,
		workspaceId: row.workspace_id,
		name: row.name,
		status: row.status as AgentStatus,
		modelAccess: toModelAccess(row.model_access),
		callLimit: row.call_limits === null ? null : readCallLimit(row.call_limits),
		toolListing: (row.tool_face ?? 'all') as ToolListing,
	}
}

/** The groups to be added to and removed from a person's agent. */
interface AgentGroupChange {
	workspaceId: string
	agentId: string
	add: readonly string[]
	remove: readonly string[]
	by: Actor
	requestId: string
}

/** Changes an agent's groups, and thereby its grants, in the caller's transaction, which must have begun with `lockGroups`. */
async function changeAgentGroups(
	agents: AgentContext,
	tx: DatabaseTransaction,
	{ workspaceId, agentId, add, remove, by, requestId }: AgentGroupChange,
): Promise<void> {
	const row = await findAgentWithUse(tx, workspaceId, agentId, agents.clock.nowMs())
	if (!row) return
	const { name, status, groups: before } = presentAgent(agents, row)
	const kept = before.filter((group) => !remove.includes(group))
	const groups = [...new Set([...kept, ...add])].sort()
	if (groups.join() === before.join()) return
	await replaceGroups(tx, workspaceId, agentId, groups)
	await agents.deriveGrants(tx, workspaceId, [agentId])
	await agents.audit.record(tx, {
		workspaceId,
		actor: by,
		action: 'agents.update',
		target: { kind: 'agent', id: agentId, name },
		detail: { name, status, groups },
		requestId,
	})
	await appendChange(tx, 'agent', agentId, agents.clock)
}

type List = (typeof agentOperations)['list']

function agentRoutes(agents: AgentContext): BoundOperation[] {
	const { db } = agents.store
	const list = async (query: QueryOf<List>, context: RequestContext): Promise<OutputOf<List>> => {
		const { workspaceId } = principalIn(context)
		const { rows, total } = await listAgents(db, workspaceId, query, query, query, agents.clock.nowMs())
		return { agents: rows.map((row) => presentAgent(agents, row)), pagination: paginate(query, total) }
	}
	return bind(agentOperations, {
		listSeed: ({ query, context }) => list(query, context),
		list: ({ query, context }) => list(query, context),
		create: ({ body, context }) => createAgent(agents, context, body),
		get: async ({ params, context }) => {
			const { workspaceId } = principalIn(context)
			const row = await findAgentWithUse(db, workspaceId, params.id, agents.clock.nowMs())
			if (!row) throw notFound('agent')
			return presentAgent(agents, row)
		},
		update: ({ params, body, context }) => changeAgent(agents, context, params.id, body),
		delete: async ({ params, context }) => void (await removeAgent(agents, context, params.id)),
		pause: ({ params, context }) => changeStatus(agents, context, params.id, 'pause'),
		resume: ({ params, context }) => changeStatus(agents, context, params.id, 'resume'),
		stop: ({ params, context }) => changeStatus(agents, context, params.id, 'stop'),
		start: ({ params, context }) => changeStatus(agents, context, params.id, 'start'),
		install: async ({ params, query, context, request }) => {
			const { workspaceId } = principalIn(context)
			if (!(await findAgent(db, workspaceId, params.id))) throw notFound('agent')
			const slug = query.server === undefined ? null : (await findServer(db, workspaceId, query.server))?.slug
			if (slug === undefined) throw notFound('MCP server')
			return installFor(agents.publicUrl ?? `http://${request.headers.host}`, slug)
		},
		listKeys: async ({ params, query, context }) => {
			const { workspaceId } = principalIn(context)
			if (!(await findAgent(db, workspaceId, params.id))) throw notFound('agent')
			return agents.identity.listKeys(workspaceId, { ...query, agent_uuid: params.id })
		},
		createKey: ({ params, body, context }) => createAgentKey(agents, context, params.id, body),
	})
}

type CreateKey = (typeof agentOperations)['createKey']

/** Creates a key that acts as the agent. Its secret is in the answer and is not stored. */
async function createAgentKey(
	agents: AgentContext,
	request: RequestContext,
	agentId: string,
	{ name, expires_at, allowed_addresses, on_disconnect }: BodyOf<CreateKey>,
): Promise<OutputOf<CreateKey>> {
	const by = principalIn(request)
	const { workspaceId } = by
	return agents.mutate(async (tx) => {
		await agentOrNotFound(tx, agents, workspaceId, agentId)
		const expiresAtMs = typeof expires_at === 'string' ? Date.parse(expires_at) : expires_at
		const wanted = {
			workspaceId,
			kind: 'agent' as const,
			name,
			agentId,
			expiresAtMs,
			allowedAddresses: allowed_addresses,
			...(on_disconnect && { onDisconnect: on_disconnect }),
			by,
			requestId: request.requestId,
		}
		const { fields, secret } = await agents.identity.createCredential(tx, wanted)
		return { ...fields, key: secret }
	})
}

type Install = OutputOf<(typeof agentOperations)['install']>
type ClientInstall = Install['clients'][number]
type Step = ClientInstall['steps'][number]

export const keyPlaceholder = 'YOUR_AGENT_KEY'
const keyVariable = 'SIGNALBOX_AGENT_KEY'

/**
 * Configuration for MCP clients. `base` is Signalbox's origin; `slug` selects one server, null everything that is granted. The
 * address is the one without OAuth metadata, because some clients ignore a key where they find metadata.
 */
export function installFor(base: string, slug: string | null): Install {
	const url = `${base.replace(/\/+$/, '')}/mcp-key${slug === null ? '' : `/${slug}`}`
	const name = slug ?? 'signalbox'
	const clients = [
		{ client: 'claude-code', name: 'Claude Code', steps: claudeCode(name, url) },
		{ client: 'codex', name: 'Codex', steps: codex(name, url) },
		{ client: 'cursor', name: 'Cursor', steps: cursor(name, url) },
		{ client: 'vs-code', name: 'VS Code', steps: vsCode(name, url) },
		{ client: 'windsurf', name: 'Windsurf', steps: windsurf(name, url) },
		{ client: 'claude-desktop', name: 'Claude Desktop', steps: claudeDesktop(name, url) },
		{ client: 'gemini-cli', name: 'Gemini CLI', steps: geminiCli(name, url) },
		{ client: 'generic', name: 'Any other client', steps: generic(name, url) },
	] satisfies ClientInstall[]
	return { url, key_placeholder: keyPlaceholder, clients }
}

const headers = { Authorization: `Bearer ${keyPlaceholder}` }

function claudeCode(name: string, url: string): Step[] {
	const server = { type: 'http', url, headers: { Authorization: `Bearer \${${keyVariable}}` } }
	return [
		command(
			`claude mcp add --transport http ${name} ${url} --header "Authorization: Bearer ${keyPlaceholder}"`,
		),
		jsonFile('.mcp.json', { mcpServers: { [name]: server } }),
	]
}

function codex(name: string, url: string): Step[] {
	const table = [
		`[mcp_servers.${name}]`,
		`url = ${JSON.stringify(url)}`,
		`bearer_token_env_var = "${keyVariable}"`,
	]
	return [
		command(
			`export ${keyVariable}=${keyPlaceholder}\ncodex mcp add ${name} --url ${url} --bearer-token-env-var ${keyVariable}`,
		),
		{ kind: 'file', path: '~/.codex/config.toml', language: 'toml', text: `${table.join('\n')}\n` },
	]
}

function cursor(name: string, url: string): Step[] {
	const config = encodeURIComponent(Buffer.from(JSON.stringify({ url, headers })).toString('base64'))
	const link = `cursor://anysphere.cursor-deeplink/mcp/install?name=${encodeURIComponent(name)}&config=${config}`
	return [
		jsonFile('~/.cursor/mcp.json', { mcpServers: { [name]: { url, headers } } }),
		{ kind: 'link', text: link },
	]
}

/** The editor asks for the key, so that no link or file contains it. */
function vsCode(name: string, url: string): Step[] {
	const id = `${name}-key`
	const inputs = [{ id, type: 'promptString', description: 'Agent key', password: true }]
	const server = { type: 'http', url, headers: { Authorization: `Bearer \${input:${id}}` } }
	const link = `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name, ...server, inputs }))}`
	return [{ kind: 'link', text: link }, jsonFile('.vscode/mcp.json', { servers: { [name]: server }, inputs })]
}

function windsurf(name: string, url: string): Step[] {
	return [
		jsonFile('~/.codeium/windsurf/mcp_config.json', { mcpServers: { [name]: { serverUrl: url, headers } } }),
	]
}

/**
 * Its configuration supports only local programs, so a bridge program forwards the calls. The header is in an environment
 * variable because the space in it would be split in `args`.
 */
function claudeDesktop(name: string, url: string): Step[] {
	const args = ['-y', 'mcp-remote', url, '--header', `Authorization:\${AUTHORIZATION}`]
	const server = { command: 'npx', args, env: { AUTHORIZATION: headers.Authorization } }
	return [jsonFile('claude_desktop_config.json', { mcpServers: { [name]: server } })]
}

function geminiCli(name: string, url: string): Step[] {
	return [
		command(
			`gemini mcp add --transport http --header "Authorization: Bearer ${keyPlaceholder}" ${name} ${url}`,
		),
		jsonFile('~/.gemini/settings.json', { mcpServers: { [name]: { httpUrl: url, headers } } }),
	]
}

function generic(name: string, url: string): Step[] {
	return [jsonFile('mcp.json', { mcpServers: { [name]: { type: 'http', url, headers } } })]
}

function command(text: string): Step {
	return { kind: 'command', language: 'shell', text }
}

function jsonFile(path: string, content: object): Step {
	return { kind: 'file', path, language: 'json', text: `${JSON.stringify(content, null, 2)}\n` }
}
