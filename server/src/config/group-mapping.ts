import { type Role, roles } from '@signalbox/contract'

/** What the members of one group at a provider get here. */
export interface GroupRule {
	group: string
	/** Id or name. */
	workspace: string
	role: Role
	/** Groups of agents that the person has in the workspace. */
	agentGroups: string[]
	/** Whether a workspace that does not exist is made. */
	create: boolean
}

/** `group=workspace:role` or `group=workspace:role:agents+others`, with commas; or a JSON array of objects. */
export function groupMapping(text: string): GroupRule[] {
	return text.trimStart().startsWith('[') ? readJson(text) : text.split(',').filter(Boolean).map(readEntry)
}

function readEntry(entry: string): GroupRule {
	const [, group = '', workspace = '', role = '', agentGroups = ''] =
		entry.trim().match(/^([^=]+)=([^:]+):(\w+)(?::(.+))?$/) ?? []
	if (!group)
		throw new Error(`"${entry.trim()}" is not a rule like group=workspace:role; names with , = : need JSON`)
	return rule({ group, workspace, role, agent_groups: agentGroups.split('+').filter(Boolean) })
}

function readJson(text: string): GroupRule[] {
	let entries: unknown
	try {
		entries = JSON.parse(text)
	} catch {
		throw new Error('starts like a JSON array, but is not one')
	}
	return (entries as unknown[]).map((entry) => rule((entry ?? {}) as Record<string, unknown>))
}

const known = ['group', 'workspace', 'role', 'agent_groups', 'create']

function rule(entry: Record<string, unknown>): GroupRule {
	const { group, workspace, role, agent_groups: agentGroups = [], create = false } = entry
	const unknown = Object.keys(entry).filter((name) => !known.includes(name))
	if (unknown.length > 0)
		throw new Error(`a rule has no ${unknown.join(', ')}; there are ${known.join(', ')}`)
	if (typeof group !== 'string' || !group || typeof workspace !== 'string' || !workspace)
		throw new Error('a rule needs the texts group and workspace')
	if (!roles.includes(role as Role))
		throw new Error(`the role of group "${group}" is one of ${roles.join(', ')}, not "${String(role)}"`)
	if (
		!Array.isArray(agentGroups) ||
		agentGroups.some((name) => typeof name !== 'string') ||
		typeof create !== 'boolean'
	)
		throw new Error(
			`in the rule of group "${group}", agent_groups is a list of texts and create true or false`,
		)
	return { group, workspace, role: role as Role, agentGroups, create }
}
