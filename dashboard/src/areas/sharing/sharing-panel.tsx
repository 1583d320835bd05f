import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, unwrap } from '../../api.ts'
import { Switch } from '../../ui/controls.tsx'
import { Panel } from '../../ui/page.tsx'
import { InlineError, SkeletonRows } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { useCan } from '../identity/session.ts'
import { sharingQuery } from './queries.ts'
import { ShareList } from './share-list.tsx'

/** Whether sessions can be shared by links, and the active links. */
export function SharingPanel() {
	const queries = useQueryClient()
	const canChange = useCan('workspace:write')
	const { data, error } = useQuery(sharingQuery)
	const change = useMutation({
		mutationFn: (enabled: boolean) => unwrap(api.PUT('/v1/sharing', { body: { enabled } })),
		onSuccess: () => {
			toast('Saved')
			return queries.invalidateQueries({ queryKey: ['sharing'] })
		},
	})
	const failure = error ?? change.error
	return (
		<Panel title="Sharing">
			{data ? (
				<div className="grid gap-4">
					<div className="flex flex-wrap items-center justify-between gap-4">
						<p className="max-w-2xl text-ink-2">
							Members may make links that show one session to whoever has them, redacted, until they expire.
							While this is off, no link opens.
						</p>
						<Switch
							label="Share sessions by links"
							checked={data.enabled}
							disabled={!canChange || change.isPending}
							onChange={(enabled) => change.mutate(enabled)}
						/>
					</div>
					<ShareList />
				</div>
			) : (
				!error && <SkeletonRows rows={2} />
			)}
			{failure && <InlineError error={failure} />}
		</Panel>
	)
}
