import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, changeShown, unwrap } from '../../api.ts'
import { basePath } from '../../lib/base-url.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { CopyText } from '../../ui/copy.tsx'
import { NameField } from '../../ui/name-fields.tsx'
import { Panel } from '../../ui/page.tsx'
import { FormPanel } from '../../ui/settings-panels.tsx'
import { toast } from '../../ui/toast.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { useCan, useMe } from '../identity/session.ts'
import { SharingPanel } from '../sharing/sharing-panel.tsx'

export function WorkspaceSettings() {
	return (
		<div className="grid gap-4">
			<Rename />
			<SharingPanel />
			<Leave />
			<DeleteWorkspace />
		</div>
	)
}

function Rename() {
	const { workspace } = useMe()
	const canChange = useCan('workspace:write')
	const queries = useQueryClient()
	const edited = useDraft({ name: workspace.name }, `workspace ${workspace.id}`)
	const { name } = edited.draft
	const rename = useMutation({
		mutationFn: () => changeShown('/v1/workspaces/{id}', { id: workspace.id }, workspace, { name }),
		onSuccess: () => {
			toast('Saved')
			return queries.invalidateQueries({ queryKey: ['me'] })
		},
	})
	return (
		<FormPanel
			title="Details"
			busy={rename.isPending}
			edited={edited}
			disabled={!canChange || name.trim() === ''}
			error={rename.error}
			onSave={() => rename.mutate(undefined, { onSuccess: edited.reset })}
		>
			<NameField disabled={!canChange} value={name} onChange={(next) => edited.setDraft({ name: next })} />
			<p className="text-ink-3">
				Id <CopyText text={workspace.id} />
			</p>
		</FormPanel>
	)
}

/** The session continues in another workspace of the person, if there is one, with a full page load. */
function startAnew(): void {
	location.assign(`${basePath}/ui/`)
}

function Leave() {
	const [isOpen, setIsOpen] = useState(false)
	const { workspace, workspaces, user } = useMe()
	const leave = async () => {
		const path = { id: workspace.id, userId: user.id }
		await unwrap(api.DELETE('/v1/workspaces/{id}/members/{userId}', { params: { path } }))
		startAnew()
	}
	return (
		<Panel title="Leave">
			<div className="flex flex-wrap items-center justify-between gap-4">
				<p className="text-ink-2">You will need an invitation to rejoin. The last owner has to stay.</p>
				<Button variant="danger" onClick={() => setIsOpen(true)}>
					Leave workspace
				</Button>
			</div>
			<Confirm
				open={isOpen}
				onClose={() => setIsOpen(false)}
				title={`Leave ${workspace.name}?`}
				text={
					workspaces.length > 1
						? 'You lose everything in it at once. Keys that you made stay with the workspace.'
						: 'You belong to no other workspace: you are signed out, and sign in again only after an invitation.'
				}
				action="Leave workspace"
				run={leave}
			/>
		</Panel>
	)
}

function DeleteWorkspace() {
	const [isOpen, setIsOpen] = useState(false)
	const { workspace } = useMe()
	const mayDelete = useCan('workspace:delete')
	const remove = async () => {
		const params = { path: { id: workspace.id }, query: { confirm: workspace.name } }
		await unwrap(api.DELETE('/v1/workspaces/{id}', { params }))
		startAnew()
	}
	return (
		<Panel title="Delete">
			<div className="flex flex-wrap items-center justify-between gap-4">
				<p className="max-w-2xl text-ink-2">
					Keys, members, servers, agents and grants end at once, and what was recorded cannot be reached any
					more.
					{!mayDelete && ' Only an owner can delete it.'}
				</p>
				<Button variant="danger" icon="trash" disabled={!mayDelete} onClick={() => setIsOpen(true)}>
					Delete workspace
				</Button>
			</div>
			<Confirm
				open={isOpen}
				onClose={() => setIsOpen(false)}
				title={`Delete ${workspace.name}?`}
				text="Everything in it stops immediately, including running streams. This cannot be undone."
				action="Delete workspace"
				typedName={workspace.name}
				run={remove}
			/>
		</Panel>
	)
}
