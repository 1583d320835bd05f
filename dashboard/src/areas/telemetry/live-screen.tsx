import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useEffect, useMemo, useRef, useState } from 'react'
import type { StreamState } from '../../lib/event-stream.ts'
import { formatCount } from '../../lib/format.ts'
import { defaultRange } from '../../lib/time-range.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { cn } from '../../ui/cn.ts'
import { Page, Panel } from '../../ui/page.tsx'
import { Empty, ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { CallTable } from './call-table.tsx'
import { type LiveFilter, passes, storedFilter } from './live-filter.ts'
import { LiveFilters } from './live-filters.tsx'
import { spansQuery } from './queries.ts'
import { keptSpans, shownSpans, useLiveSpans } from './use-live-spans.ts'

const route = getRouteApi('/_app/live')

/** What is happening right now, call by call? */
export function LiveScreen() {
	const filter = route.useSearch()
	const navigate = route.useNavigate()
	const [paused, setPaused] = useState(false)
	const live = useLiveSpans(paused)
	const stored = useQuery(spansQuery({ ...storedFilter(filter), start: defaultRange.start, limit: 100 }))
	const spans = useMemo(
		() => shownSpans(live, stored.data?.spans ?? [], (span) => passes(span, filter)),
		[live, stored.data, filter],
	)
	const { refetch } = stored
	const wasOpen = useRef(false)
	useEffect(() => {
		// Loads what was recorded before the stream was open. What it lost later, it reads by itself.
		if (live.state === 'open' && !wasOpen.current) void refetch()
		wasOpen.current ||= live.state === 'open'
	}, [live.state, refetch])
	const toggle = () => {
		if (paused) live.release()
		setPaused(!paused)
	}
	return (
		<Page
			title="Traffic"
			beside={<LiveSign state={live.state} paused={paused} />}
			description="Every tool call, model call and span of the workspace as it ends."
			actions={
				<Button icon={paused ? 'play' : 'pause'} onClick={toggle}>
					{paused
						? `Resume${live.held.length > 0 ? ` · ${live.held.length}${live.held.length === keptSpans ? '+' : ''} new` : ''}`
						: 'Pause'}
				</Button>
			}
		>
			<LiveFilters filter={filter} onChange={(next) => void navigate({ search: next, replace: true })} />
			{live.missed > 0 && (
				<p role="status" className="mb-3 rounded-md bg-warn-soft px-3 py-2 text-warn">
					{formatCount(live.missed)} more were recorded than can be shown live. None is lost: reload to see
					the last ones.
				</p>
			)}
			<Panel flush>
				{stored.isError && spans.length === 0 ? (
					<ErrorState error={stored.error} retry={() => void stored.refetch()} />
				) : stored.isPending ? (
					<SkeletonRows rows={8} />
				) : spans.length === 0 ? (
					<NoCalls
						filtered={Object.keys(filter).length > 0}
						onReset={() => void navigate({ search: {} as LiveFilter })}
					/>
				) : (
					<CallTable spans={spans} fresh={live.spans} />
				)}
			</Panel>
		</Page>
	)
}

const signs: Record<StreamState | 'paused', { text: string; dot: string }> = {
	open: { text: 'Live', dot: 'bg-ok animate-pulse' },
	connecting: { text: 'Connecting…', dot: 'bg-warn' },
	lost: { text: 'Connection lost, trying again…', dot: 'bg-bad' },
	paused: { text: 'Paused', dot: 'bg-warn' },
}

function LiveSign({ state, paused }: { state: StreamState; paused: boolean }) {
	const { text, dot } = signs[paused ? 'paused' : state]
	return (
		<span role="status" className="inline-flex items-center gap-1.5 text-xs font-medium text-ink-2">
			<span className={cn('size-2 rounded-full forced-color-adjust-none', dot)} />
			{text}
		</span>
	)
}

function NoCalls({ filtered, onReset }: { filtered: boolean; onReset(): void }) {
	if (filtered) {
		return (
			<Empty
				icon="search"
				title="No call matches"
				action={<Button onClick={onReset}>Clear the filters</Button>}
			>
				New calls that match appear here automatically.
			</Empty>
		)
	}
	return (
		<Empty
			icon="live"
			title="Waiting for the first call…"
			action={
				<Link to="/getting-started" className={buttonClass('primary')}>
					Connect an agent
				</Link>
			}
		>
			Calls appear here automatically, about a second after they end.
		</Empty>
	)
}
