import { problems } from '@signalbox/contract/problems'
import { useQueries, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { agentsQuery } from '../areas/agents/queries.ts'
import { docsQuery } from '../areas/docs/docs-query.ts'
import { callIn } from '../areas/reader/compare-search.ts'
import { serversQuery } from '../areas/servers/queries.ts'
import { breakdowns } from '../areas/spotlight/breakdowns.ts'
import { breakdownQuery } from '../areas/spotlight/queries.ts'
import { toolsetsQuery } from '../areas/toolsets/queries.ts'
import { pageOf } from '../areas/usage/usage-links.ts'
import { basePath } from '../lib/base-url.ts'
import type { IconName } from '../ui/icons.tsx'
import { navItems } from './nav.ts'

export interface PaletteEntry {
	id: string
	label: string
	/** The kind of entry: a place, a server, an agent, an action. */
	kind: string
	icon: IconName
	/** A page of the dashboard, or a page outside it, which opens in a new tab. */
	link:
		| { to: string; params?: Record<string, string>; search?: Record<string, unknown>; hash?: string }
		| { href: string }
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
		link: { to: '/traces', search: { view: 'calls', calls: 'counted_failed' } },
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

const setting = (id: string, label: string, to: string, search?: Record<string, unknown>): PaletteEntry => ({
	...{ id: `setting-${id}`, label, kind: 'Setting', icon: 'system' as const },
	link: { to, ...(search && { search }) },
})
const settings: readonly PaletteEntry[] = [
	setting('time-zone', 'Time zone', '/account'),
	setting('password', 'Password', '/account'),
	setting('sign-ins', 'Signed-in sessions', '/account'),
	setting('members', 'Members', '/workspace'),
	setting('workspace', 'Workspace name and sharing', '/workspace', { tab: 'settings' }),
	setting('retention', 'Retention', '/telemetry-settings'),
	setting('redaction', 'Redaction rules', '/telemetry-settings', { tab: 'redaction' }),
	setting('routes', 'Model routes and fallbacks', '/connections', { tab: 'routes' }),
	setting('model-limits', 'Model limits', '/connections', { tab: 'limits' }),
	setting('hooks', 'Model hooks', '/connections', { tab: 'hooks' }),
]

const docs: readonly PaletteEntry[] = [
	...[{ id: 'docs-api', label: 'API reference', href: `${basePath}/docs` }],
	...[{ id: 'docs-errors', label: 'Errors and what to do about them', href: `${basePath}/docs/errors` }],
	...Object.entries(problems).map(([code, { title }]) => ({
		...{ id: `docs-${code}`, label: `${title} (${code})`, href: `${basePath}/docs/errors#${code}` },
	})),
].map(({ href, ...entry }) => ({ ...entry, kind: 'Docs', icon: 'docs', link: { href } }))

const traceId = /^(?:[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i

/** A pasted id, address or traceparent opens its call or trace. */
function pastedEntries(text: string): PaletteEntry[] {
	const call = callIn(text)
	const [trace, span] = call ? call.split('/') : [text.trim().replaceAll('-', '').toLowerCase()]
	if (!trace || (!call && !traceId.test(text.trim()))) return []
	return [
		{
			...{
				id: `pasted-${trace}`,
				label: call ? `Call ${span}` : `Trace ${trace}`,
				kind: call ? 'Call' : 'Trace',
			},
			icon: 'trace',
			link: { to: '/traces/$traceId', params: { traceId: trace }, ...(span && { search: { span } }) },
		},
	]
}

const maxDocs = 6

/** What matches so far, and whether more may come. */
export interface Found {
	entries: readonly PaletteEntry[]
	isSearching: boolean
}

/** Pages of the documentation and their sections. */
function useDocs(wanted: string): Found {
	const isAsked = wanted.trim().length >= minLetters
	const { data, isLoading } = useQuery({ ...docsQuery, enabled: isAsked })
	const pages = isAsked && data ? data.searchDocs(wanted, maxDocs) : []
	const entries = pages.map(({ page: { path, title }, section }) => ({
		id: `docs-page-${path}-${section?.id ?? ''}`.replaceAll('/', '-'),
		label: section ? `${title}: ${section.title}` : title,
		kind: 'Docs',
		icon: 'docs' as const,
		link: { to: '/docs/$', params: { _splat: path }, ...(section && { hash: section.id }) },
	}))
	return { entries, isSearching: isLoading }
}

const recorded = [
	{ by: 'tools', field: 'tool', kind: 'Tool', icon: 'tool' },
	{ by: 'sessions', field: 'session', kind: 'Session', icon: 'review' },
	{ by: 'users', field: 'user', kind: 'User', icon: 'person' },
	{ by: 'models', field: 'model', kind: 'Model', icon: 'model' },
] as const
const minLetters = 2
const pauseMs = 200

/** What was typed, after a pause. */
function useSettled(wanted: string): string {
	const [text, setText] = useState('')
	useEffect(() => {
		const timer = setTimeout(() => setText(wanted.trim()), pauseMs)
		return () => clearTimeout(timer)
	}, [wanted])
	return text
}

/** The first servers and agents, and those with a matching name: there may be more than are read at once. */
function useNamed(wanted: string) {
	const q = useSettled(wanted)
	const search = { enabled: q !== '', staleTime: 30_000 }
	const servers = [useQuery(serversQuery({})), useQuery({ ...serversQuery({ q, limit: 12 }), ...search })]
	const agents = [useQuery(agentsQuery({})), useQuery({ ...agentsQuery({ q, limit: 12 }), ...search })]
	const byId = <T>(lists: (readonly T[] | undefined)[], idOf: (one: T) => string): T[] => [
		...new Map(lists.flatMap((list) => list ?? []).map((one) => [idOf(one), one])).values(),
	]
	return {
		isSearching: q !== wanted.trim() || [...servers, ...agents].some(({ isLoading }) => isLoading),
		servers: byId(
			servers.map(({ data }) => data?.mcp_servers),
			({ id }) => id,
		),
		agents: byId(
			agents.map(({ data }) => data?.agents),
			({ uuid }) => uuid,
		),
	}
}

/** Tools, sessions, users and models with matching names in calls of the last 30 days. */
function useRecorded(wanted: string): Found {
	const text = useSettled(wanted)
	const answers = useQueries({
		queries: recorded.map(({ by, field }) => ({
			...breakdownQuery({
				...{ by, range: { start: '-30d' }, filter: { filter: [`${field}~=${text}`] }, sort: 'last_seen' },
				...{ limit: 5, compare: false, groups: [] },
			}),
			enabled: text.length >= minLetters,
			refetchInterval: false as const,
		})),
	})
	const entries = recorded.flatMap(({ by, kind, icon }, at) =>
		(text.length >= minLetters ? (answers[at]?.data?.rows ?? []) : []).flatMap((row) => {
			const link = pageOf(by, row)
			return link
				? [{ id: `${by}-${row.key}`, label: row.name, kind, icon, link: link as PaletteEntry['link'] }]
				: []
		}),
	)
	return { entries, isSearching: answers.some(({ isLoading }) => isLoading) }
}

/** Everything that the palette can open, best matches first. */
export function usePaletteEntries(wanted: string): Found {
	const { servers, agents, isSearching } = useNamed(wanted)
	const { data: toolsets, isLoading } = useQuery(toolsetsQuery({}))
	const things: PaletteEntry[] = [
		...servers.map(({ id, name }) => ({
			id,
			label: name,
			kind: 'MCP server',
			icon: 'server' as const,
			link: { to: '/servers/$serverId', params: { serverId: id } },
		})),
		...agents.map(({ uuid, name }) => ({
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
	const calls = useRecorded(wanted)
	const pages = useDocs(wanted)
	if (wanted.trim() === '') return { entries: [...places, ...actions], isSearching: false }
	const pasted = pastedEntries(wanted)
	// Fewer of these are listed if calls or pages were found, so that those are visible too.
	const ranked = rankEntries([...places, ...things, ...actions, ...settings, ...docs], wanted)
	const found = [...calls.entries, ...pages.entries]
	return {
		entries: [...pasted, ...ranked.slice(0, found.length > 0 ? 8 : 12), ...found],
		isSearching: [isSearching, isLoading, calls.isSearching, pages.isSearching].includes(true),
	}
}

/** The entries that contain the words; matches at the beginning come before those in the middle. */
function rankEntries(entries: readonly PaletteEntry[], wanted: string): readonly PaletteEntry[] {
	const text = wanted.trim().toLowerCase()
	const place = ({ label, kind }: PaletteEntry) => `${label} ${kind}`.toLowerCase().indexOf(text)
	return entries.filter((entry) => place(entry) >= 0).toSorted((a, b) => place(a) - place(b))
}
