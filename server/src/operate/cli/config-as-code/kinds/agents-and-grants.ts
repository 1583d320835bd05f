import { type Schemas, unwrap } from '../../../client/client.ts'
import { listAgents, listServers, listToolsets } from '../../find.ts'
import type { EntryOf } from '../file-schema.ts'
import { type Context, type ExistingObject, idOf, type Kind, once } from './kind.ts'

type AgentEntry = EntryOf<'agents'>
type Status = NonNullable<AgentEntry['status']>

export const agents: Kind<'agents'> = {
	section: 'agents',
	noun: 'agent',
	nameOf: ({ name }) => name,
	fieldsOf: (entry) => ({ ...contentOf(entry), status: entry.status ?? 'active' }),
	read: async ({ client }) => (await listAgents(client)).map(toExisting),
	toEntry: ({ name, fields }) => {
		const { description, status, groups, model_access, call_limits, tool_listing } =
			fields as Schemas['Agent']
		return {
			name,
			...(description !== '' && { description }),
			...(status !== 'active' && { status: status as Status }),
			...(groups.length > 0 && { groups }),
			...(model_access.mode !== 'all' && { model_access }),
			...(call_limits !== null && { call_limits }),
			...(tool_listing !== 'all' && { tool_listing }),
		}
	},
	create: async (context, entry) => {
		const body = { name: entry.name, ...contentOf(entry) }
		const made = await unwrap(context.client.POST('/v1/agents', { body, headers: once(context) }))
		await moveTo(context, made.uuid, 'active', entry.status ?? 'active')
		return made
	},
	update: async (context, { id, fields }, entry, changed) => {
		const content = [...changed].some((field) => field !== 'status')
		const params = { path: { id } }
		const made = content
			? await unwrap(context.client.PATCH('/v1/agents/{id}', { params, body: contentOf(entry) }))
			: undefined
		await moveTo(context, id, fields.status as Status, entry.status ?? 'active')
		return made
	},
	remove: async ({ client }, { id }) =>
		void (await client.DELETE('/v1/agents/{id}', { params: { path: { id } } })),
}

/** All that a file sets by a change of the agent: what the API has of it, without its name, its status and what it observes. */
type Content = Omit<
	Schemas['Agent'],
	| ('uuid' | 'id' | 'name' | 'status' | 'created_at' | 'updated_at')
	| ('mcp_server_count' | 'last_seen_at' | 'warnings')
>

function contentOf(entry: AgentEntry): Content {
	const { description = '', groups = [], call_limits = null } = entry
	return {
		description,
		groups: groups.toSorted(),
		model_access: accessOf(entry),
		call_limits,
		tool_listing: listingOf(entry),
	}
}

function accessOf({ model_access = { mode: 'all' } }: AgentEntry) {
	return model_access.mode === 'selected' ? { connections: [], ...model_access } : model_access
}

function listingOf({ tool_listing, tool_face }: AgentEntry) {
	return tool_listing ?? tool_face ?? ('all' as const)
}

/** Uses the transitions that agents have: from stopped to paused they must become active first. */
async function moveTo({ client }: Context, id: string, from: Status, to: Status): Promise<void> {
	if (from === to) return
	const params = { path: { id } }
	if (from === 'stopped') await client.POST('/v1/agents/{id}/start', { params })
	if (from === 'paused' && to === 'active') await client.POST('/v1/agents/{id}/resume', { params })
	if (to === 'paused') await client.POST('/v1/agents/{id}/pause', { params })
	if (to === 'stopped') await client.POST('/v1/agents/{id}/stop', { params })
}

/** The platform itself sets `error`; for the file such an agent is active. */
function toExisting({ uuid, name, status, groups, ...agent }: Schemas['Agent']): ExistingObject {
	const { description, model_access, call_limits, tool_listing } = agent
	const content: Content = {
		...{ description, groups: groups.toSorted(), model_access },
		...{ call_limits, tool_listing },
	}
	return { id: uuid, name, fields: { ...content, status: status === 'error' ? 'active' : status } }
}

type ToolsetEntry = EntryOf<'toolsets'>
type Tools = NonNullable<ToolsetEntry['tools']>

export const toolsets: Kind<'toolsets'> = {
	section: 'toolsets',
	noun: 'toolset',
	nameOf: ({ name }) => name,
	fieldsOf: ({ description = '', groups = [], tools = [] }) => ({
		description,
		groups: [...groups].sort(),
		tools: inOrder(tools),
	}),
	read: async (context) => {
		const slugs = slugsOf(context)
		return (await listToolsets(context.client)).map((toolset) => toExistingToolset(toolset, slugs))
	},
	toEntry: ({ name, fields }) => {
		const { description, groups, tools } = fields as { description: string; groups: string[]; tools: Tools }
		return {
			name,
			...(description !== '' && { description }),
			...(groups.length > 0 && { groups }),
			...(tools.length > 0 && { tools }),
		}
	},
	create: async (context, entry) => {
		const body = { name: entry.name, ...toolsOf(context, entry) }
		return unwrap(context.client.POST('/v1/toolsets', { body, headers: once(context) }))
	},
	update: async (context, { id }, entry) => {
		const body = toolsOf(context, entry)
		return unwrap(context.client.PATCH('/v1/toolsets/{id}', { params: { path: { id } }, body }))
	},
	remove: async ({ client }, { id }) =>
		void (await client.DELETE('/v1/toolsets/{id}', { params: { path: { id } } })),
}

/** Slugs by id. */
function slugsOf({ ids }: Context): Map<string, string> {
	return new Map([...ids.servers].map(([slug, id]) => [id, slug]))
}

function toolsOf(context: Context, { description = '', groups = [], tools = [] }: ToolsetEntry) {
	const named = tools.map(({ server, tools: names }) => ({
		server_id: idOf(context, 'servers', server),
		tools: names,
	}))
	return { description, groups, tools: named }
}

function toExistingToolset({ id, name, ...toolset }: Schemas['Toolset'], slugs: ReadonlyMap<string, string>) {
	const tools = toolset.tools.map(({ server_id, tools: names }) => ({
		server: slugs.get(server_id) ?? server_id,
		tools: names,
	}))
	const { description, groups } = toolset
	return { id, name, fields: { description, groups: groups.toSorted(), tools: inOrder(tools) } }
}

function inOrder(tools: readonly Tools[number][]): Tools {
	return tools
		.map(({ server, tools: names }) => ({ server, tools: [...names].sort() }))
		.sort((a, b) => (a.server < b.server ? -1 : 1))
}

type GrantEntry = EntryOf<'grants'>
/** All of a grant that a file sets. */
type Terms = Omit<Schemas['AgentAccess'], 'id' | 'agent' | 'source'>

/** Manual grants only; those derived from toolsets follow from the toolsets. */
export const grants: Kind<'grants'> = {
	section: 'grants',
	noun: 'grant',
	nameOf: ({ agent, server }) => `${agent} → ${server}`,
	fieldsOf: (entry) => ({ ...termsOf(entry) }),
	read: async ({ client }) => {
		const granted = (await listServers(client)).filter(({ agent_access_count }) => agent_access_count > 0)
		const found: ExistingObject[] = []
		for (const { id, slug } of granted) {
			const { access } = await unwrap(client.GET('/v1/mcp/servers/{id}/access', { params: { path: { id } } }))
			found.push(
				...access.filter(({ source }) => source.kind === 'manual').map((each) => toExistingGrant(each, slug)),
			)
		}
		return found
	},
	toEntry: ({ name, fields }) => {
		const { access_mode, allowed_tools, enabled, expires_at, constraints, approval, ...asking } =
			fields as Terms
		const [agent = '', server = ''] = splitName(name)
		return {
			...{ agent, server, access_mode },
			...(allowed_tools && { allowed_tools }),
			...(asking.allowed_prompts?.length && { allowed_prompts: asking.allowed_prompts }),
			...(asking.allowed_resources?.length && { allowed_resources: asking.allowed_resources }),
			...(!enabled && { enabled }),
			...(expires_at !== null && { expires_at }),
			...(Object.keys(constraints).length > 0 && { constraints }),
			...(Object.keys(approval).length > 0 && { approval }),
			...(asking.approver !== 'workspace' && { approver: asking.approver }),
			...(asking.approval_wait_ms !== null && { approval_wait_ms: asking.approval_wait_ms }),
			...(asking.denied_hints.length > 0 && { denied_hints: asking.denied_hints }),
			...(Object.keys(asking.call_limits).length > 0 && { call_limits: asking.call_limits }),
		}
	},
	create: async (context, entry) => {
		const { agentId, id } = idsOf(context, entry)
		const body = { agent_uuid: agentId, ...termsOf(entry) }
		const params = { path: { id } }
		return unwrap(
			context.client.POST('/v1/mcp/servers/{id}/access', { params, body, headers: once(context) }),
		)
	},
	update: async (context, _existing, entry) => {
		const params = { path: idsOf(context, entry) }
		const body = termsOf(entry)
		return unwrap(context.client.PATCH('/v1/mcp/servers/{id}/access/{agentId}', { params, body }))
	},
	remove: async (context, { name }) => {
		const [agent = '', server = ''] = splitName(name)
		const params = { path: idsOf(context, { agent, server }) }
		await context.client.DELETE('/v1/mcp/servers/{id}/access/{agentId}', { params })
	},
}

/** A slug contains no space, so the last arrow is the separator. */
function splitName(name: string): string[] {
	const arrow = name.lastIndexOf(' → ')
	return [name.slice(0, arrow), name.slice(arrow + 3)]
}

function idsOf(context: Context, { agent, server }: Pick<GrantEntry, 'agent' | 'server'>) {
	return { id: idOf(context, 'servers', server), agentId: idOf(context, 'agents', agent) }
}

function termsOf(entry: GrantEntry): Terms {
	const { access_mode, allowed_tools, enabled = true, expires_at, constraints = {}, approval = {} } = entry
	return {
		access_mode,
		allowed_tools: access_mode === 'all' ? null : [...(allowed_tools ?? [])].sort(),
		allowed_prompts: access_mode === 'all' ? null : [...(entry.allowed_prompts ?? [])].sort(),
		allowed_resources: access_mode === 'all' ? null : [...(entry.allowed_resources ?? [])].sort(),
		enabled,
		expires_at: expires_at === undefined ? null : new Date(expires_at).toISOString(),
		constraints,
		approval,
		approver: entry.approver ?? 'workspace',
		approval_wait_ms: entry.approval_wait_ms ?? null,
		denied_hints: [...(entry.denied_hints ?? [])].sort(),
		call_limits: entry.call_limits ?? {},
	}
}

function toExistingGrant(grant: Schemas['AgentAccess'], slug: string): ExistingObject {
	const { agent, access_mode, allowed_tools, enabled, expires_at, constraints, approval } = grant
	const { approver, approval_wait_ms, call_limits } = grant
	const denied_hints = grant.denied_hints.toSorted()
	const lists = {
		allowed_tools: allowed_tools?.toSorted() ?? null,
		allowed_prompts: grant.allowed_prompts?.toSorted() ?? null,
		allowed_resources: grant.allowed_resources?.toSorted() ?? null,
	}
	const asking = { approval, approver, approval_wait_ms, denied_hints, call_limits }
	const terms: Terms = { access_mode, ...lists, enabled, expires_at, constraints, ...asking }
	return { id: grant.id, name: `${agent.name} → ${slug}`, fields: { ...terms } }
}
