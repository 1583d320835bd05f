import { useState } from 'react'
import { formatCompact, formatNanoUsd } from '../../lib/format.ts'
import { LineChart } from '../../ui/line-chart.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import type { Timeseries } from './queries.ts'

type Measure = 'calls' | 'errors' | 'cost'
type Bucket = Timeseries['buckets'][number]

const measures: Record<
	Measure,
	{ label: string; value(bucket: Bucket): number; format(value: number): string }
> = {
	calls: { label: 'Calls', value: ({ calls }) => calls, format: (value) => formatCompact(value) },
	errors: { label: 'Errors', value: ({ errors }) => errors, format: (value) => formatCompact(value) },
	cost: {
		label: 'Cost',
		value: ({ cost_nano_usd }) => Number(cost_nano_usd),
		format: (value) => formatNanoUsd(String(value)),
	},
}
const options = (Object.keys(measures) as Measure[]).map((value) => ({ value, label: measures[value].label }))

/** One line for each of the groups with the most calls. */
export function GroupedActivity({ series }: { series: Timeseries }) {
	const [measure, setMeasure] = useState<Measure>('calls')
	const { label, value, format } = measures[measure]
	return (
		<div className="relative p-4">
			<div className="absolute">
				<Segmented<Measure>
					label="Drawn"
					name="activity-measure"
					value={measure}
					options={options}
					onChange={setMeasure}
				/>
			</div>
			<LineChart
				label={label}
				start={series.start}
				end={series.end}
				intervalMs={series.interval_ms}
				format={format}
				series={(series.series ?? []).map(({ group, buckets }) => ({
					name: Object.entries(group)
						.map(([name, text]) => text || `no ${name}`)
						.join(' · '),
					points: buckets.map((bucket) => ({ start: bucket.start, value: value(bucket) })),
				}))}
			/>
		</div>
	)
}
