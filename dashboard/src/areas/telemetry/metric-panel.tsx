import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api, type Schemas, unwrap } from '../../api.ts'
import { isRelative, type TimeRange } from '../../lib/time-range.ts'
import { Button } from '../../ui/button.tsx'
import { Input, Select } from '../../ui/field.tsx'
import { Panel } from '../../ui/page.tsx'
import { Empty, ErrorState, Skeleton } from '../../ui/states.tsx'
import { TimeChart } from '../../ui/time-chart.tsx'
import { type Aggregate, aggregatesFor, type MetricsSearch, unitOf } from './metrics-search.ts'

interface Props {
	metric: Schemas['Metric']
	range: TimeRange
	search: MetricsSearch
	onChange(change: MetricsSearch): void
}

/** One metric over time. */
export function MetricPanel({ metric, range, search, onChange }: Props) {
	const possible = aggregatesFor(metric)
	const aggregate = possible.find((one) => one === search.aggregate) ?? possible[0] ?? 'avg'
	const { service, attribute, group } = search
	const query = useQuery({
		queryKey: ['metrics', 'points', metric.name, aggregate, group, service, attribute, range],
		queryFn: () =>
			unwrap(
				api.GET('/v1/telemetry/metrics/points', {
					params: {
						query: {
							...range,
							metric: metric.name,
							aggregate,
							...(group && { group_by: [group] }),
							...(service && { service }),
							...(attribute && { attribute }),
						},
					},
				}),
			),
		placeholderData: keepPreviousData,
		refetchInterval: isRelative(range) ? 10_000 : false,
	})
	return (
		<Panel title={<span className="font-mono break-all">{metric.name}</span>}>
			{metric.description && <p className="mb-3 text-ink-2">{metric.description}</p>}
			<div className="mb-3 flex flex-wrap gap-2">
				<Select
					aria-label="Aggregate"
					className="w-32!"
					value={aggregate}
					onChange={(event) => onChange({ aggregate: event.target.value as Aggregate })}
				>
					{possible.map((one) => (
						<option key={one} value={one}>
							{one}
						</option>
					))}
				</Select>
				<GroupField key={group} value={group ?? ''} onChange={(next) => onChange({ group: next })} />
			</div>
			{query.error && !query.data ? (
				<ErrorState error={query.error} retry={() => void query.refetch()} />
			) : !query.data ? (
				<Skeleton className="h-60" />
			) : query.data.series.every(({ points }) => points.length === 0) ? (
				<Empty icon="limit" title="Nothing to draw">
					It takes two points of a counter to tell what it grew by. Choose a longer time or another aggregate.
				</Empty>
			) : (
				<TimeChart
					label={`${metric.name}, ${aggregate}`}
					start={query.data.start}
					end={query.data.end}
					intervalMs={query.data.interval_ms}
					format={(value) => `${formatValue(value)} ${unitOf(query.data, aggregate)}`.trim()}
					series={query.data.series.map((series) => ({
						name: Object.values(series.group)[0] ?? aggregate,
						points: series.points,
					}))}
				/>
			)}
		</Panel>
	)
}

const numbers = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 4 })

function formatValue(value: number): string {
	return numbers.format(value)
}

function GroupField({ value, onChange }: { value: string; onChange(group: string): void }) {
	const [typed, setTyped] = useState(value)
	const submit = (event: FormEvent) => {
		event.preventDefault()
		onChange(typed.trim())
	}
	return (
		<form onSubmit={submit} className="flex gap-2">
			<Input
				aria-label="Group by attribute"
				placeholder="group by attribute"
				value={typed}
				onChange={(event) => setTyped(event.target.value)}
				className="w-48! font-mono text-xs"
			/>
			<Button type="submit" disabled={typed.trim() === value}>
				Group
			</Button>
		</form>
	)
}
