import { getRouteApi } from '@tanstack/react-router'
import { Page } from '../../ui/page.tsx'
import { Empty } from '../../ui/states.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { useMe } from '../identity/session.ts'
import { InstanceKeys } from './instance-keys.tsx'
import type { InstanceTab } from './instance-search.ts'
import { MailLinks } from './mail-links.tsx'
import { OperatorList } from './operator-list.tsx'
import { Refusals } from './refusals.tsx'
import { SettingList } from './setting-list.tsx'
import { WorkspaceRights } from './workspace-rights.tsx'

const route = getRouteApi('/_app/instance')

/** Settings above all workspaces, for the operators of the instance. */
export function InstanceScreen() {
	const { operator } = useMe()
	return (
		<Page
			title="Instance"
			description="Settings for all workspaces. Changes take effect immediately on every node."
		>
			{operator ? <Parts /> : <OperatorsOnly />}
		</Page>
	)
}

function Parts() {
	const { tab = 'settings' } = route.useSearch()
	const navigate = route.useNavigate()
	return (
		<Tabs<InstanceTab>
			label="Instance sections"
			value={tab}
			onChange={(next) => void navigate({ search: next === 'settings' ? {} : { tab: next }, replace: true })}
			tabs={[
				{ value: 'settings', label: 'Settings', content: <SettingList /> },
				{ value: 'workspaces', label: 'Workspaces', content: <WorkspaceRights /> },
				{ value: 'operators', label: 'Operators', content: <OperatorList /> },
				{ value: 'links', label: 'Mail links', content: <MailLinks /> },
				{ value: 'keys', label: 'Keys', content: <InstanceKeys /> },
				{ value: 'refusals', label: 'Refusals', content: <Refusals /> },
			]}
		/>
	)
}

function OperatorsOnly() {
	const { user } = useMe()
	return (
		<Empty icon="block" title="This is for operators">
			Operators run the instance. Whoever has the machine makes you one:{' '}
			<code className="font-mono text-xs break-all">signalbox admin grant-operator {user.email}</code>
		</Empty>
	)
}
