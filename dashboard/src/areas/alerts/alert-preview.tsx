import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { api, unwrap } from '../../api.ts'
import { formatDateTime } from '../../lib/format.ts'
import { InlineError, Skeleton } from '../../ui/states.tsx'
import { Badge } from '../../ui/status.tsx'
import { TimeChart } from '../../ui/time-chart.tsx'
import { type AlertDraft, formatFigure, settingsOf } from './alert-search.ts'

const pauseMs = 500
const dayMs = 86_400_000

/** What the alert would have done in the last days, according to its rule and the stored figures. */
export function AlertPreview({ draft }: { draft: AlertDraft }) {
	const { question_id, view, figure, condition } = draft
	const { threshold, for_s } = settingsOf(draft, 'question')
	const isComplete = (question_id !== '' || view) && !Number.isNaN(threshold)
	const watched = question_id === '' ? view : { question_id }
	const body = useSettled({ ...watched, figure, condition, threshold, for_s })
	const { data, error } = useQuery({
		queryKey: ['alert-preview', body],
		queryFn: () => unwrap(api.POST('/v1/alerts/preview', { body })),
		enabled: Boolean(isComplete),
		staleTime: 60_000,
		retry: false,
	})
	if (!isComplete) return null
	if (error) return <InlineError error={error} />
	if (!data) return <Skeleton className="h-24" />
	const days = Math.round((Date.parse(data.end) - Date.parse(data.start)) / dayMs)
	const count = data.firings.length
	return (
		<section aria-label="Preview" className="grid gap-2 rounded-lg border border-line p-3">
			<p className="flex flex-wrap items-center gap-2">
				<Badge tone={count === 0 ? 'idle' : 'warn'}>
					{count === 0
						? 'Would not have fired'
						: `Would have fired ${count} ${count === 1 ? 'time' : 'times'}`}
				</Badge>
				<span className="text-ink-2">
					in the last {days === 1 ? 'day' : `${days} days`}
					{count > 0 && `, first at ${formatDateTime(data.firings[0]?.from ?? '')}`}
				</span>
			</p>
			<TimeChart
				label="Metric"
				start={data.start}
				end={data.end}
				intervalMs={data.interval_ms}
				format={(value) => formatFigure(figure, value)}
				series={[
					{ name: 'Metric', points: data.points.map(({ at, value }) => ({ start: at, value })) },
					...(threshold !== null && (condition === 'above' || condition === 'below')
						? [
								{
									name: 'Threshold',
									dashed: true as const,
									colour: 'bad',
									points: data.points.map(({ at }) => ({ start: at, value: threshold })),
								},
							]
						: []),
				]}
			/>
		</section>
	)
}

/** A value once it has not changed for a moment, so that no preview is requested of a half-typed number. */
function useSettled<T>(value: T): T {
	const [settled, setSettled] = useState(value)
	const text = JSON.stringify(value)
	useEffect(() => {
		const timer = setTimeout(() => setSettled(JSON.parse(text) as T), pauseMs)
		return () => clearTimeout(timer)
	}, [text])
	return settled
}
