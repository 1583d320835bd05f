import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { api, changeShown, unwrap } from '../../api.ts'
import { formatCounted } from '../../lib/format.ts'
import { parentLink } from '../../ui/link.ts'
import { type Named, NameFields } from '../../ui/name-fields.tsx'
import { Page } from '../../ui/page.tsx'
import { DeletePanel, FormPanel } from '../../ui/settings-panels.tsx'
import { ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { RoleHint } from '../identity/role-hint.tsx'
import { useCan } from '../identity/session.ts'
import { refreshToolsets, type Toolset, toolsetQuery } from './queries.ts'
import { ToolsetEditor } from './toolset-editor.tsx'

const route = getRouteApi('/_app/toolsets/$toolsetId')

/** Which tools does it contain, and who has access to them through it? */
export function ToolsetScreen() {
	const { toolsetId } = route.useParams()
	const { data: toolset, error, refetch } = useQuery(toolsetQuery(toolsetId))
	if (toolset) return <LoadedToolset key={toolset.id} toolset={toolset} />
	return (
		<Page title="Toolset">
			{error ? <ErrorState error={error} retry={() => void refetch()} /> : <SkeletonRows rows={8} />}
		</Page>
	)
}

function LoadedToolset({ toolset }: { toolset: Toolset }) {
	const canChange = useCan('access:write')
	return (
		<Page
			title={toolset.name}
			above={
				<Link to="/toolsets" {...parentLink}>
					Toolsets
				</Link>
			}
			description={
				<>
					{toolset.description && <span className="mr-3">{toolset.description}</span>}
					<span>{formatCounted(toolset.agent_count, 'agent')} with access by it</span>
				</>
			}
		>
			<RoleHint needs="access:write" what="change a toolset" />
			<div className="grid gap-4">
				<ToolsetEditor toolset={toolset} disabled={!canChange} />
				<Details toolset={toolset} disabled={!canChange} />
				<DeleteToolset toolset={toolset} disabled={!canChange} />
			</div>
		</Page>
	)
}

function Details({ toolset, disabled }: { toolset: Toolset; disabled: boolean }) {
	const queries = useQueryClient()
	const { name, description } = toolset
	const edited = useDraft<Named>({ name, description }, `details of toolset ${toolset.id}`)
	const { changes } = edited
	const save = useMutation({
		mutationFn: () => changeShown('/v1/toolsets/{id}', { id: toolset.id }, toolset, changes),
		onSuccess: () => {
			toast('Saved')
			return refreshToolsets(queries)
		},
	})
	return (
		<FormPanel
			title="Details"
			busy={save.isPending}
			edited={edited}
			disabled={disabled}
			error={save.error}
			onSave={() => save.mutate(undefined, { onSuccess: edited.reset })}
		>
			<NameFields value={edited.draft} onChange={edited.setDraft} disabled={disabled} />
		</FormPanel>
	)
}

function DeleteToolset({ toolset, disabled }: { toolset: Toolset; disabled: boolean }) {
	const queries = useQueryClient()
	const navigate = route.useNavigate()
	const remove = async () => {
		await unwrap(api.DELETE('/v1/toolsets/{id}', { params: { path: { id: toolset.id } } }))
		await navigate({ to: '/toolsets' })
		await refreshToolsets(queries)
	}
	return (
		<DeletePanel
			what="toolset"
			name={toolset.name}
			note="Grants derived from it end too. Direct grants are kept."
			text={
				toolset.agent_count === 0
					? 'No agent has a grant from it.'
					: `${toolset.agent_count} ${toolset.agent_count === 1 ? 'agent loses' : 'agents lose'} the grants they have by it, within a second.`
			}
			disabled={disabled}
			run={remove}
		/>
	)
}
