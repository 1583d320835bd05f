import { type Schemas, take } from '../../../client/client.ts'
import { listServers } from '../../find.ts'
import type { EntryOf } from '../file-schema.ts'
import { type Context, type Existing, idOf, type Kind, once } from './kind.ts'

type GrantEntry = EntryOf<'grants'>
type Terms = Pick<
	Schemas['AgentAccess'],
	| 'access_mode'
	| 'allowed_tools'
	| 'allowed_prompts'
	| 'allowed_resources'
	| 'enabled'
	| 'expires_at'
	| 'constraints'
	| 'approval'
	| 'approver'
	| 'approval_wait_ms'
	| 'denied_hints'
	| 'call_limits'
>

/** Grants made by hand; those derived from toolsets follow from these. */
export const grants: Kind<'grants'> = {
	section: 'grants',
	noun: 'grant',
	nameOf: ({ agent, server }) => `${agent} → ${server}`,
	fieldsOf: (entry) => ({ ...termsOf(entry) }),
	read: async ({ client }) => {
		const granted = (await listServers(client)).filter(({ agent_access_count }) => agent_access_count > 0)
		const found: Existing[] = []
		for (const { id, slug } of granted) {
			const { access } = await take(client.GET('/v1/mcp/servers/{id}/access', { params: { path: { id } } }))
			found.push(
				...access.filter(({ source }) => source.kind === 'manual').map((each) => toExisting(each, slug)),
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
		return take(context.client.POST('/v1/mcp/servers/{id}/access', { params, body, headers: once(context) }))
	},
	update: async (context, _existing, entry) => {
		const params = { path: idsOf(context, entry) }
		const body = termsOf(entry)
		return take(context.client.PATCH('/v1/mcp/servers/{id}/access/{agentId}', { params, body }))
	},
	remove: async (context, { name }) => {
		const [agent = '', server = ''] = splitName(name)
		const params = { path: idsOf(context, { agent, server }) }
		await context.client.DELETE('/v1/mcp/servers/{id}/access/{agentId}', { params })
	},
}

/** A slug has no space, so the last arrow is ours. */
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

function toExisting(grant: Schemas['AgentAccess'], slug: string): Existing {
	const { agent, access_mode, allowed_tools, enabled, expires_at, constraints, approval } = grant
	const { approver, approval_wait_ms, call_limits } = grant
	const denied_hints = grant.denied_hints.toSorted()
	const lists = {
		allowed_tools: allowed_tools?.toSorted() ?? null,
		allowed_prompts: grant.allowed_prompts?.toSorted() ?? null,
		allowed_resources: grant.allowed_resources?.toSorted() ?? null,
	}
	const asking = { approval, approver, approval_wait_ms, denied_hints, call_limits }
	const fields = { access_mode, ...lists, enabled, expires_at, constraints, ...asking }
	return { id: grant.id, name: `${agent.name} → ${slug}`, fields }
}
