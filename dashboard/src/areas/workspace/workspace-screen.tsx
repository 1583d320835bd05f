import { getRouteApi } from '@tanstack/react-router'
import { Button } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { Badge } from '../../ui/status.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { RoleHint } from '../identity/role-hint.tsx'
import { useCan, useMe } from '../identity/session.ts'
import { InvitationList } from './invitation-list.tsx'
import { InviteDialog } from './invite-dialog.tsx'
import { MemberList } from './member-list.tsx'
import type { WorkspaceTab } from './workspace-search.ts'
import { WorkspaceSettings } from './workspace-settings.tsx'

const route = getRouteApi('/_app/workspace')

/** Who works in this workspace, and with which role? */
export function WorkspaceScreen() {
	const { workspace } = useMe()
	const { tab = 'members', invite } = route.useSearch()
	const navigate = route.useNavigate()
	const mayInvite = useCan('members:write')
	const show = (next: WorkspaceTab) =>
		void navigate({ search: next === 'members' ? {} : { tab: next }, replace: true })
	return (
		<Page
			title="Settings"
			above={workspace.name}
			beside={<Badge tone="idle">you are {workspace.role}</Badge>}
			description="Servers, agents, grants, keys and calls belong to one workspace. Workspaces are fully isolated."
			actions={
				<Button
					variant="primary"
					icon="plus"
					disabled={!mayInvite}
					onClick={() => void navigate({ search: (old) => ({ ...old, invite: true }) })}
				>
					Invite person
				</Button>
			}
		>
			<RoleHint needs={['members:write', 'workspace:write']} what="invite people or change the workspace" />
			<Tabs<WorkspaceTab>
				label="Workspace sections"
				value={tab}
				onChange={show}
				tabs={[
					{ value: 'members', label: 'Members', content: <MemberList /> },
					{ value: 'invitations', label: 'Invitations', content: <InvitationList /> },
					{ value: 'settings', label: 'Settings', content: <WorkspaceSettings /> },
				]}
			/>
			<InviteDialog
				open={invite === true}
				onClose={() => void navigate({ search: ({ invite: _, ...rest }) => rest })}
			/>
		</Page>
	)
}
