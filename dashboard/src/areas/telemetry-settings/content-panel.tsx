import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, unwrap } from '../../api.ts'
import { Switch } from '../../ui/controls.tsx'
import { Panel } from '../../ui/page.tsx'
import { ErrorState, InlineError, SkeletonRows } from '../../ui/states.tsx'
import { useCan } from '../identity/session.ts'
import { callRecordingQuery } from './queries.ts'

/** Are arguments and results of tool calls recorded? */
export function ContentPanel() {
	const canChange = useCan('recording:write')
	const queries = useQueryClient()
	const { data, error, refetch } = useQuery(callRecordingQuery)
	const change = useMutation({
		// The mode belongs to whoever changed it last.
		mutationFn: async (tool_content: boolean) => {
			const { mode } = await unwrap(api.GET('/v1/call-recording'))
			return unwrap(api.PUT('/v1/call-recording', { body: { mode, tool_content } }))
		},
		onSuccess: () => queries.invalidateQueries({ queryKey: callRecordingQuery.queryKey }),
	})
	return (
		<Panel title="Content of tool calls" className="mt-4">
			{error && !data ? (
				<ErrorState error={error} retry={() => void refetch()} />
			) : !data ? (
				<SkeletonRows rows={1} />
			) : (
				<div className="flex items-center justify-between gap-4">
					<div>
						<p>Record arguments and results</p>
						<p className="text-ink-2">
							At most 16 KiB each, redacted. A server may say otherwise in its settings.
						</p>
					</div>
					<Switch
						label="Record arguments and results"
						disabled={!canChange || change.isPending}
						checked={data.tool_content}
						onChange={(isOn) => change.mutate(isOn)}
					/>
				</div>
			)}
			{change.error && <InlineError error={change.error} />}
		</Panel>
	)
}
