import { useQuery } from '@tanstack/react-query'
import { agentsQuery } from '../areas/agents/queries.ts'
import { serversQuery } from '../areas/servers/queries.ts'
import { breakdowns } from '../areas/spotlight/breakdowns.ts'
import { toolsetsQuery } from '../areas/toolsets/queries.ts'
import type { IconName } from '../ui/icons.tsx'
import { navItems } from './nav.ts'

export interface PaletteEntry {
	id: string
	label: string
	/** What it is: a place, a server, an agent, something to do. */
	kind: string
	icon: IconName
	link: { to: string; params?: Record<string, string>; search?: Record<string, unknown> }
}

const places: readonly PaletteEntry[] = navItems.map(({ label, icon, link }) => ({
	id: `place-${link.to}`,
	label,
	kind: 'Page',
	icon,
	link,
}))

const actions: readonly PaletteEntry[] = [
	{ id: 'do-account', label: 'Your account', kind: 'Page', icon: 'person', link: { to: '/account' } },
	{
		id: 'do-invite',
		label: 'Invite person',
		kind: 'Action',
		icon: 'plus',
		link: { to: '/workspace', search: { invite: true } },
	},
	{
		id: 'do-register',
		label: 'Register server',
		kind: 'Action',
		icon: 'plus',
		link: { to: '/servers', search: { register: true } },
	},
	{
		id: 'do-agent',
		label: 'Create agent',
		kind: 'Action',
		icon: 'plus',
		link: { to: '/agents', search: { create: true } },
	},
	{
		id: 'do-toolset',
		label: 'Create toolset',
		kind: 'Action',
		icon: 'plus',
		link: { to: '/toolsets', search: { create: true } },
	},
	{
		id: 'do-failures',
		label: 'Show failed calls',
		kind: 'Action',
		icon: 'alert',
		link: { to: '/traces', search: { view: 'calls', calls: 'failed' } },
	},
	...breakdowns.map(({ by, label }) => ({
		id: `do-by-${by}`,
		label: `Spotlight by ${label.toLowerCase()}`,
		kind: 'Action',
		icon: 'search' as const,
		link: { to: '/spotlight', search: { by } },
	})),
	{
		id: 'do-budget',
		label: 'Create budget',
		kind: 'Action',
		icon: 'plus',
		link: { to: '/budgets', search: { create: true } },
	},
	{
		id: 'do-price',
		label: 'Set price',
		kind: 'Action',
		icon: 'plus',
		link: { to: '/prices', search: { create: true } },
	},
]

/** Everything that the palette can lead to, the best matches first. */
export function usePaletteEntries(wanted: string): readonly PaletteEntry[] {
	const { data: servers } = useQuery(serversQuery({}))
	const { data: agents } = useQuery(agentsQuery({}))
	const { data: toolsets } = useQuery(toolsetsQuery({}))
	const things: PaletteEntry[] = [
		...(servers?.mcp_servers ?? []).map(({ id, name }) => ({
			id,
			label: name,
			kind: 'MCP server',
			icon: 'server' as const,
			link: { to: '/servers/$serverId', params: { serverId: id } },
		})),
		...(agents?.agents ?? []).map(({ uuid, name }) => ({
			id: uuid,
			label: name,
			kind: 'Agent',
			icon: 'agent' as const,
			link: { to: '/agents/$agentId', params: { agentId: uuid } },
		})),
		...(toolsets?.toolsets ?? []).map(({ id, name }) => ({
			id,
			label: name,
			kind: 'Toolset',
			icon: 'tool' as const,
			link: { to: '/toolsets/$toolsetId', params: { toolsetId: id } },
		})),
	]
	if (wanted.trim() === '') return [...places, ...actions]
	return rankEntries([...places, ...things, ...actions], wanted).slice(0, 12)
}

/** Those that hold the words, beginnings before middles. */
function rankEntries(entries: readonly PaletteEntry[], wanted: string): readonly PaletteEntry[] {
	const text = wanted.trim().toLowerCase()
	const place = ({ label, kind }: PaletteEntry) => `${label} ${kind}`.toLowerCase().indexOf(text)
	return entries.filter((entry) => place(entry) >= 0).toSorted((a, b) => place(a) - place(b))
}
