import { retentionClasses } from '@signalbox/contract/constants'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api, unwrap } from '../../api.ts'
import { formatCounted } from '../../lib/format.ts'
import { Button } from '../../ui/button.tsx'
import { Field, Select } from '../../ui/field.tsx'
import { Panel } from '../../ui/page.tsx'
import { ErrorState, InlineError, SkeletonRows } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
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
					<RetentionForm key={JSON.stringify(data)} retention={data} />
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
	const [draft, setDraft] = useState(retention)
	const { instance_days } = retention
	const save = useMutation({
		mutationFn: (body: Retention) => unwrap(api.PUT('/v1/retention', { body })),
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
		save.mutate(draft)
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
			{save.error && <InlineError error={save.error} />}
			<Button
				type="submit"
				variant="primary"
				className="justify-self-start"
				busy={save.isPending}
				disabled={!canChange || JSON.stringify(draft) === JSON.stringify(retention)}
			>
				Save
			</Button>
		</form>
	)
}

function daysText(days: number): string {
	return formatCounted(days, 'day')
}
