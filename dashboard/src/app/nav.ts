import { linkOptions } from '@tanstack/react-router'
import type { IconName } from '../ui/icons.tsx'
import type { WaitingKind } from './use-waiting-counts.ts'

/** Every place of the dashboard, in the order of the side bar; `keys` jumps there after `g`. */
export const navGroups = [
	{
		title: 'Observe',
		items: [
			{ label: 'Overview', icon: 'overview', key: 'o', link: linkOptions({ to: '/' }) },
			{ label: 'Live calls', icon: 'live', key: 'l', link: linkOptions({ to: '/live' }) },
			{
				label: 'Approvals',
				icon: 'approve',
				key: 'p',
				link: linkOptions({ to: '/approvals' }),
				waiting: 'approvals',
			},
		],
	},
	{
		title: 'Connect',
		items: [
			{ label: 'Getting started', icon: 'start', key: 'g', link: linkOptions({ to: '/getting-started' }) },
			{
				label: 'MCP servers',
				icon: 'server',
				key: 's',
				link: linkOptions({ to: '/servers' }),
				waiting: 'definitions',
			},
			{ label: 'Agents', icon: 'agent', key: 'a', link: linkOptions({ to: '/agents' }) },
			{ label: 'Toolsets', icon: 'tool', key: 't', link: linkOptions({ to: '/toolsets' }) },
			{
				label: 'Access requests',
				icon: 'ask',
				key: 'q',
				link: linkOptions({ to: '/access-requests' }),
				waiting: 'requests',
			},
			{ label: 'Access review', icon: 'review', key: 'r', link: linkOptions({ to: '/access-review' }) },
			{ label: 'Model connections', icon: 'model', key: 'm', link: linkOptions({ to: '/connections' }) },
		],
	},
	{
		title: 'Administer',
		items: [
			{ label: 'Keys & tokens', icon: 'key', key: 'k', link: linkOptions({ to: '/keys' }) },
			{ label: 'Webhooks', icon: 'send', key: 'h', link: linkOptions({ to: '/webhooks' }) },
			{ label: 'Limits', icon: 'limit', key: 'i', link: linkOptions({ to: '/limits' }) },
			{ label: 'Audit', icon: 'audit', key: 'u', link: linkOptions({ to: '/audit' }) },
			{ label: 'Workspace', icon: 'person', key: 'w', link: linkOptions({ to: '/workspace' }) },
			{ label: 'Instance', icon: 'system', key: 'n', link: linkOptions({ to: '/instance' }), operator: true },
		],
	},
] as const satisfies readonly {
	title: string
	/** Those with `operator` are shown to operators only; `waiting` names what is counted beside one. */
	items: readonly {
		label: string
		icon: IconName
		key: string
		link: { to: string }
		operator?: true
		waiting?: WaitingKind
	}[]
}[]
