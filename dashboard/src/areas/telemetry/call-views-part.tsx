import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Schemas } from '../../api.ts'
import { formatMs } from '../../lib/format.ts'
import { cn } from '../../ui/cn.ts'
import { callViewsQuery, type Span } from './queries.ts'

type View = Schemas['CallView']
type Views = Schemas['CallViews']

const sideName = { client: 'Client', gateway: 'Signalbox', server: 'Server' } as const
const sureness = { exact: 'surely', strong: 'very likely', weak: 'perhaps' } as const

/** The duration of one call as recorded by each side, if there are several. The difference between two bars is network and queues. */
export function CallViewsPart({ span }: { span: Span }) {
	const { data } = useQuery(callViewsQuery(span))
	if (!data || data.views.length < 2) return null
	const endMs = Math.max(...data.views.map((view) => view.starts_after_ms + (view.duration_ms ?? 0)))
	return (
		<section>
			<h3 className="mb-2 text-xs font-medium text-ink-3">The call as each side saw it</h3>
			<ol className="grid gap-2">
				{data.views.map((view) => (
					<li key={view.side}>
						<ViewBar view={view} endMs={endMs} isShown={view.span_id === span.span_id} />
					</li>
				))}
			</ol>
			<p className="mt-2 text-xs text-ink-2">{describeBetween(data)}</p>
			{data.views.some(({ confidence }) => confidence === 'weak') && (
				<p className="mt-1 text-xs text-ink-3">
					“Perhaps”: only the tool and the time speak for it, so it counts as a call of its own.
				</p>
			)}
		</section>
	)
}

function ViewBar({ view, endMs, isShown }: { view: View; endMs: number; isShown: boolean }) {
	const share = (ms: number) => `${endMs > 0 ? (ms / endMs) * 100 : 0}%`
	return (
		<>
			<div className="flex items-baseline justify-between gap-3 text-xs">
				<span>
					{isShown ? (
						sideName[view.side]
					) : (
						<Link
							to="/traces/$traceId"
							params={{ traceId: view.trace_id }}
							search={{ span: view.span_id }}
							className="underline underline-offset-2"
						>
							{sideName[view.side]}
						</Link>
					)}
					{view.confidence !== 'exact' && <span className="text-ink-3"> · {sureness[view.confidence]}</span>}
				</span>
				<span className="tabular-nums text-ink-2">
					{view.duration_ms === null ? 'no outcome' : formatMs(view.duration_ms)}
				</span>
			</div>
			<div aria-hidden="true" className="relative mt-0.5 h-2.5 rounded-xs bg-sunken">
				<div
					className={cn(
						'absolute h-full min-w-0.5 rounded-xs forced-color-adjust-none',
						view.is_counted ? 'bg-accent' : 'bg-ink-3',
					)}
					style={{ left: share(view.starts_after_ms), width: share(view.duration_ms ?? 0) }}
				/>
			</div>
		</>
	)
}

/** `Client to Signalbox and back 10 ms · the clock of the server is 3 s ahead`. */
function describeBetween({ between, views }: Views): string {
	const ways = between.map(
		({ outer, inner, duration_ms }) =>
			`${sideName[outer]} to ${sideName[inner].toLowerCase().replace('signalbox', 'Signalbox')} and back ${formatMs(duration_ms)}`,
	)
	const clocks = views
		.filter(({ clock_offset_ms }) => Math.abs(clock_offset_ms) >= 1)
		.map(
			({ side, clock_offset_ms }) =>
				`the ${side === 'gateway' ? 'clock here' : `${side}’s clock`} seems ${formatMs(Math.abs(clock_offset_ms))} ${clock_offset_ms > 0 ? 'ahead' : 'behind'}`,
		)
	return [...ways, ...clocks].join(' · ')
}
