import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { api, unwrap } from '../../api.ts'
import { uiPath } from '../../lib/base-url.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { copyText } from '../../ui/copy.tsx'
import { Input } from '../../ui/field.tsx'
import { InlineError } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { RoleHint } from '../identity/role-hint.tsx'
import { useCan } from '../identity/session.ts'
import { refreshViews, type SavedView, viewsQuery } from './queries.ts'

/** The path of the list below its workspace. */
const pageNow = () => location.pathname.slice(uiPath().length) || '/'

/** The saved views of the current list. A view is saved with its whole address, and is available to everyone in the workspace. */
export function SavedViews({ onClose }: { onClose(): void }) {
	const router = useRouter()
	const queries = useQueryClient()
	const { data } = useQuery(viewsQuery)
	const [name, setName] = useState('')
	const mayWrite = useCan('questions:write')
	const page = pageNow()
	const views = (data?.questions ?? []).filter(({ address }) => address?.split('?')[0] === page)
	const save = useMutation({
		mutationFn: async (wanted: string) => {
			const address = `${page}${router.latestLocation.searchStr}`
			const same = views.find((view) => view.name === wanted)
			const params = { path: { id: same?.id ?? '' } }
			await (same
				? unwrap(api.PATCH('/v1/questions/{id}', { params, body: { address } }))
				: unwrap(api.POST('/v1/questions', { body: { name: wanted, read: 'overview', address } })))
		},
		onSuccess: () => {
			setName('')
			return refreshViews(queries)
		},
	})
	const remove = useMutation({
		mutationFn: ({ id }: SavedView) => unwrap(api.DELETE('/v1/questions/{id}', { params: { path: { id } } })),
		onSettled: () => refreshViews(queries),
	})
	const submit = (event: FormEvent) => {
		event.preventDefault()
		if (name.trim() !== '') save.mutate(name.trim())
	}
	const copyLink = () => void copyText(location.href, () => toast('Link copied'))
	const error = save.error ?? remove.error
	return (
		<section className="mt-4 border-t border-line pt-3">
			<div className="mb-2 flex items-center justify-between gap-2">
				<h3 className="font-semibold">Saved views</h3>
				<Button small icon="link" onClick={copyLink}>
					Copy link to this view
				</Button>
			</div>
			<ul aria-label="Saved views" className="divide-y divide-line">
				{views.map((view) => (
					<li key={view.id} className="flex items-center gap-2">
						<button
							type="button"
							onClick={() => {
								router.history.push(`${uiPath()}${view.address}`)
								onClose()
							}}
							className="min-h-8 min-w-0 flex-1 truncate text-left font-medium hover:underline"
						>
							{view.name}
						</button>
						<IconButton
							icon="trash"
							small
							disabled={!mayWrite || remove.isPending}
							label={`Delete view ${view.name}`}
							onClick={() => remove.mutate(view)}
						/>
					</li>
				))}
			</ul>
			<form onSubmit={submit} className="mt-2 flex gap-2">
				<Input
					aria-label="Name of this view"
					placeholder="Name of this view"
					maxLength={100}
					disabled={!mayWrite}
					value={name}
					onChange={(event) => setName(event.target.value)}
				/>
				<Button type="submit" busy={save.isPending} disabled={!mayWrite || name.trim() === ''}>
					Save view
				</Button>
			</form>
			{error && <InlineError error={error} />}
			<p className="my-1 text-xs text-ink-3">Everyone in the workspace sees saved views.</p>
			<RoleHint needs="questions:write" what="save views" />
		</section>
	)
}
