import { linkOptions } from '@tanstack/react-router'
import type { IconName } from '../ui/icons.tsx'
import type { WaitingKind } from './use-waiting-counts.ts'

/** The places of the dashboard in the order of the side bar, each with its screens. `key` opens it after `g`. */
export const navPlaces = [
	{
		label: 'Home',
		icon: 'overview',
		key: 'o',
		link: linkOptions({ to: '/' }),
		items: [
			{
				label: 'Approvals',
				icon: 'approve',
				key: 'p',
				link: linkOptions({ to: '/approvals' }),
				waiting: 'approvals',
			},
			{ label: 'Security', icon: 'block', key: '4', link: linkOptions({ to: '/security' }) },
			{ label: 'Getting started', icon: 'start', key: 'g', link: linkOptions({ to: '/getting-started' }) },
		],
	},
	{
		label: 'Traffic',
		icon: 'live',
		key: 'l',
		link: linkOptions({ to: '/live' }),
		items: [
			{ label: 'Spotlight', icon: 'search', key: 'f', link: linkOptions({ to: '/spotlight' }) },
			{ label: 'Dashboards', icon: 'matrix', key: '.', link: linkOptions({ to: '/dashboards' }) },
			{ label: 'Traffic map', icon: 'map', key: '6', link: linkOptions({ to: '/map' }) },
			{ label: 'Tool insights', icon: 'ask', key: '1', link: linkOptions({ to: '/tool-insights' }) },
			{ label: 'Alerts', icon: 'alert', key: 'z', link: linkOptions({ to: '/alerts' }) },
			{ label: 'Sessions', icon: 'review', key: '7', link: linkOptions({ to: '/sessions' }) },
			{ label: 'Users', icon: 'person', key: '8', link: linkOptions({ to: '/users' }) },
			{ label: 'Calls & traces', icon: 'trace', key: 'c', link: linkOptions({ to: '/traces' }) },
			{ label: 'Logs', icon: 'audit', key: 'y', link: linkOptions({ to: '/logs' }) },
			{ label: 'Metrics', icon: 'limit', key: 'x', link: linkOptions({ to: '/metrics' }) },
			{ label: 'Scores', icon: 'review', key: '2', link: linkOptions({ to: '/scores' }) },
		],
	},
	{
		label: 'MCP servers',
		icon: 'server',
		key: 's',
		link: linkOptions({ to: '/servers' }),
		waiting: 'definitions',
		items: [
			{ label: 'Tools', icon: 'tool', key: '9', link: linkOptions({ to: '/tools' }) },
			{ label: 'Toolsets', icon: 'tool', key: 't', link: linkOptions({ to: '/toolsets' }) },
		],
	},
	{
		label: 'Agents',
		icon: 'agent',
		key: 'a',
		link: linkOptions({ to: '/agents' }),
		items: [
			{ label: 'Access matrix', icon: 'matrix', key: ',', link: linkOptions({ to: '/access' }) },
			{
				label: 'Access requests',
				icon: 'ask',
				key: 'q',
				link: linkOptions({ to: '/access-requests' }),
				waiting: 'requests',
			},
			{ label: 'Access review', icon: 'review', key: 'r', link: linkOptions({ to: '/access-review' }) },
		],
	},
	{
		label: 'Spend',
		icon: 'spend',
		key: 'd',
		link: linkOptions({ to: '/spend' }),
		items: [
			{ label: 'Budgets', icon: 'limit', key: 'b', link: linkOptions({ to: '/budgets' }) },
			{ label: 'Prices', icon: 'spend', key: 'e', link: linkOptions({ to: '/prices' }) },
			{ label: 'Ledger', icon: 'audit', key: 'j', link: linkOptions({ to: '/ledger' }) },
			{ label: 'Models', icon: 'model', key: '0', link: linkOptions({ to: '/models' }) },
			{ label: 'Model connections', icon: 'model', key: 'm', link: linkOptions({ to: '/connections' }) },
		],
	},
	{
		label: 'Settings',
		icon: 'person',
		key: 'w',
		link: linkOptions({ to: '/workspace' }),
		items: [
			{ label: 'Keys & tokens', icon: 'key', key: 'k', link: linkOptions({ to: '/keys' }) },
			{ label: 'Webhooks', icon: 'send', key: 'h', link: linkOptions({ to: '/webhooks' }) },
			{ label: 'Forwarders', icon: 'send', key: '5', link: linkOptions({ to: '/forwarders' }) },
			{ label: 'Limits', icon: 'limit', key: 'i', link: linkOptions({ to: '/limits' }) },
			{
				label: 'Data retention & redaction',
				icon: 'block',
				key: '3',
				link: linkOptions({ to: '/telemetry-settings' }),
			},
			{ label: 'Audit', icon: 'audit', key: 'u', link: linkOptions({ to: '/audit' }) },
			{ label: 'Instance', icon: 'system', key: 'n', link: linkOptions({ to: '/instance' }), operator: true },
			{
				label: 'System health',
				icon: 'live',
				key: 'v',
				link: linkOptions({ to: '/system-health' }),
				operator: true,
			},
		],
	},
] as const satisfies readonly (NavItem & { items: readonly NavItem[] })[]

interface NavItem {
	label: string
	icon: IconName
	key: string
	link: { to: string }
	/** Shown only to operators. */
	operator?: true
	/** What the number next to it counts. */
	waiting?: WaitingKind
}

type Place = (typeof navPlaces)[number]

/** Every screen that has an entry in the side bar. */
export const navItems: readonly NavItem[] = navPlaces.flatMap(({ items, ...place }) => [place, ...items])

/** The place to which a path belongs: its own screen, a screen below it, or an object in one. */
export function placeOf(path: string): Place | undefined {
	const at = listOf(path)
	const holds = ({ link }: NavItem) => at === link.to || (link.to !== '/' && at.startsWith(`${link.to}/`))
	return navPlaces.find((place) => holds(place) || place.items.some(holds))
}

/** Accounts are connected on a server's screen; calls and sessions are compared next to their lists. */
function listOf(path: string): string {
	return path.replace(/^\/connect\//, '/servers/').replace(/^\/compare$/, '/traces')
}
