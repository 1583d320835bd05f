import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { CreateButton } from '../../ui/create-button.tsx'
import { ListPanel } from '../../ui/list-panel.tsx'
import { RoleHint } from '../identity/role-hint.tsx'
import { useCan } from '../identity/session.ts'
import { HookDialog } from './hook-dialog.tsx'
import { HookTable } from './hook-table.tsx'
import { hooksQuery } from './queries.ts'

const screen = getRouteApi('/_app/connections')

/** What is done with prompts and answers in transit? */
export function HooksTab() {
	if (useCan('audit:read')) return <Hooks />
	return <RoleHint needs="audit:read" what="see hooks on model calls" />
}

function Hooks() {
	const { create: isNew, open } = screen.useSearch()
	const navigate = screen.useNavigate()
	const canChange = useCan('provider-keys:write')
	const query = useQuery(hooksQuery)
	const opened = query.data?.hooks.find(({ id }) => id === open) ?? null
	return (
		<>
			<RoleHint needs="provider-keys:write" what="create and change hooks" />
			<ListPanel
				title="Hooks on model calls"
				query={query}
				action={
					<CreateButton
						what="hook"
						disabled={!canChange}
						onCreate={() => void navigate({ search: { tab: 'hooks', create: true } })}
					/>
				}
				empty={{
					icon: 'review',
					what: 'hook',
					text: 'A hook refuses or redacts what must not leave in a prompt, or asks a service of yours. It begins as a dry run, which changes nothing.',
				}}
				table={({ hooks }) => (hooks.length > 0 ? <HookTable hooks={hooks} canChange={canChange} /> : null)}
			/>
			{((isNew && canChange) || opened) && (
				<HookDialog
					key={opened?.id}
					hook={opened}
					canChange={canChange}
					onClose={() => void navigate({ search: { tab: 'hooks' } })}
				/>
			)}
		</>
	)
}
