import { retentionClasses } from '@signalbox/contract/constants'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { api, refuseOvertaken, unwrap } from '../../api.ts'
import { formatCounted } from '../../lib/format.ts'
import { Button } from '../../ui/button.tsx'
import { Field, Select } from '../../ui/field.tsx'
import { OvertakenNotice } from '../../ui/notice.tsx'
import { Panel } from '../../ui/page.tsx'
import { ErrorState, InlineError, SkeletonRows } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { RoleHint } from '../identity/role-hint.tsx'
import { useCan } from '../identity/session.ts'
import { ContentPanel } from './content-panel.tsx'
import { type Retention, retentionQuery } from './queries.ts'

/** How long is telemetry kept? */
export function RetentionTab() {
	const { data, error, refetch } = useQuery(retentionQuery)
	return (
		<>
			<RoleHint needs="recording:write" what="change how long telemetry is kept" />
			<Panel title="How long telemetry is kept">
				{error && !data ? (
					<ErrorState error={error} retry={() => void refetch()} />
				) : !data ? (
					<SkeletonRows rows={3} />
				) : (
					<RetentionForm retention={data} />
				)}
			</Panel>
			<ContentPanel />
		</>
	)
}

const signals = [
	['traces_days', 'Traces', 'Spans, and the calls that Signalbox records'],
	['logs_days', 'Logs', 'Log records and scores'],
	['metrics_days', 'Metrics', 'Data points'],
] as const

function RetentionForm({ retention }: { retention: Retention }) {
	const canChange = useCan('recording:write')
	const queries = useQueryClient()
	const edited = useDraft(retention, 'retention')
	const { draft, setDraft, changes } = edited
	const { instance_days } = retention
	const save = useMutation({
		// Based on what is stored now: the other fields belong to whoever changed them last.
		mutationFn: async () => {
			const stored = await unwrap(api.GET('/v1/retention'))
			refuseOvertaken(retention, stored, changes)
			return unwrap(api.PUT('/v1/retention', { body: { ...stored, ...changes } }))
		},
		onSuccess: async () => {
			await queries.invalidateQueries({ queryKey: retentionQuery.queryKey })
			toast('Saved', async () => {
				await unwrap(api.PUT('/v1/retention', { body: retention }))
				await queries.invalidateQueries({ queryKey: retentionQuery.queryKey })
			})
		},
	})
	const submit = (event: FormEvent) => {
		event.preventDefault()
		save.mutate(undefined, { onSuccess: edited.reset })
	}
	return (
		<form onSubmit={submit} className="grid max-w-lg gap-4">
			{signals.map(([name, label, hint]) => (
				<Field key={name} label={label} hint={hint}>
					{(field) => (
						<Select
							{...field}
							disabled={!canChange}
							value={draft[name] ?? ''}
							onChange={(event) => {
								const chosen = retentionClasses.find((days) => String(days) === event.target.value) ?? null
								setDraft({ ...draft, [name]: chosen })
							}}
						>
							<option value="">Instance default ({daysText(instance_days)})</option>
							{retentionClasses.map((days) => (
								<option key={days} value={days}>
									{daysText(days)}
								</option>
							))}
						</Select>
					)}
				</Field>
			))}
			<p className="text-ink-3">Applies to data that arrives from now on. Stored data keeps its retention.</p>
			{!save.isPending && <OvertakenNotice edited={edited} />}
			{save.error && <InlineError error={save.error} />}
			<div className="flex flex-wrap gap-2">
				<Button
					type="submit"
					variant="primary"
					busy={save.isPending}
					disabled={!canChange || !edited.isChanged}
				>
					Save
				</Button>
				{edited.isChanged && !save.isPending && <Button onClick={edited.reset}>Undo</Button>}
			</div>
		</form>
	)
}

function daysText(days: number): string {
	return formatCounted(days, 'day')
}
