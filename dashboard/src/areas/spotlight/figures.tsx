import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import {
	formatCompact,
	formatCount,
	formatCounted,
	formatMs,
	formatNanoUsd,
	formatPercent,
} from '../../lib/format.ts'
import { previousRange, type TimeRange } from '../../lib/time-range.ts'
import { cn } from '../../ui/cn.ts'
import { ErrorState, Skeleton } from '../../ui/states.tsx'
import type { CallFilter } from './breakdowns.ts'
import { Change } from './change.tsx'
import { linkToCalls } from './link-to-calls.ts'
import { type Overview, overviewQuery } from './queries.ts'

/** The figures of the calls that a filter selects. */
export function FiguresOf({ range, filter }: { range: TimeRange; filter: CallFilter }) {
	const { data, error, refetch } = useQuery(overviewQuery(range, filter))
	if (error && !data) return <ErrorState error={error} retry={() => void refetch()} />
	return <Figures overview={data} range={range} filter={filter} />
}

/** The figures of the range, each with its value in the previous range and a link to the calls behind it. */
export function Figures({
	overview,
	range,
	filter = {},
}: {
	overview: Overview | undefined
	range: TimeRange
	filter?: CallFilter
}) {
	const { data: before } = useQuery(overviewQuery(previousRange(range), filter))
	const now = overview
	const calls = (only: 'all' | 'failed' = 'all', conditions = filter) => ({
		to: '/traces',
		search: linkToCalls(conditions, range, only),
	})
	const modelCalls = calls('all', { ...filter, kind: 'model_call' })
	return (
		<div className="@container">
			<dl className="grid grid-cols-2 gap-px overflow-hidden rounded-xl border border-line bg-line @lg:grid-cols-3 @min-[55rem]:grid-cols-6">
				<Figure
					name="Calls"
					behind={calls()}
					value={now && formatCompact(now.calls)}
					change={<Change now={now?.calls} before={before?.calls} />}
					detail={
						now &&
						`${formatCompact(now.tool_calls, 10_000)} tool · ${formatCompact(now.model_calls, 1000)} model`
					}
				/>
				<Figure
					name="Error rate"
					behind={calls('failed')}
					value={now && formatPercent(now.error_rate)}
					tone={now && now.errors > 0 ? 'text-bad' : undefined}
					change={<Change now={now?.error_rate} before={before?.error_rate} moreIsWorse />}
					detail={now && formatCounted(now.errors, 'error')}
				/>
				<Figure
					name="Latency p95"
					behind={calls()}
					value={now && formatMs(now.latency_ms.p95)}
					change={<Change now={now?.latency_ms.p95} before={before?.latency_ms.p95} moreIsWorse />}
					detail={now && `p50 ${formatMs(now.latency_ms.p50)} · p99 ${formatMs(now.latency_ms.p99)}`}
				/>
				<Figure
					name="Tokens"
					behind={modelCalls}
					value={now && formatCompact(allTokens(now))}
					change={<Change now={now && allTokens(now)} before={before && allTokens(before)} />}
					detail={now && `${formatCompact(now.tokens.output)} out`}
				/>
				<Figure
					name="Cost"
					behind={modelCalls}
					value={now && formatNanoUsd(costOf(now))}
					change={<Change now={now && nanoUsdOf(now)} before={before && nanoUsdOf(before)} moreIsWorse />}
					detail={now && pricing(now)}
				/>
				<Figure
					name="Sessions"
					behind={{ to: '/spotlight', search: { ...filter, ...range, by: 'sessions' } }}
					value={now && formatCompact(now.sessions)}
					change={<Change now={now?.sessions} before={before?.sessions} />}
					detail={now && formatCounted(now.users, 'user', formatCompact)}
				/>
			</dl>
		</div>
	)
}

export function allTokens({ tokens }: Pick<Overview, 'tokens'>): number {
	return tokens.input + tokens.cache_read + tokens.cache_write + tokens.output + tokens.reasoning
}

interface FigureProps {
	name: string
	behind: { to: string; search: Record<string, unknown> }
	value: string | undefined
	tone?: string | undefined
	change: ReactNode
	detail: string | undefined
}

function Figure({ name, behind, value, tone, change, detail }: FigureProps) {
	return (
		<div className="min-w-0 bg-surface px-4 py-3">
			<dt className="text-xs font-medium text-ink-3">{name}</dt>
			<dd className="mt-1">
				<span className="flex flex-wrap items-baseline gap-x-2">
					{value === undefined ? (
						<Skeleton className="my-1 h-6 w-20" />
					) : (
						<Link
							{...behind}
							aria-label={`${name}: ${value}, view the calls`}
							className={cn(
								'text-2xl leading-8 font-semibold tracking-tight tabular-nums decoration-1 underline-offset-4 hover:underline',
								tone,
							)}
						>
							{value}
						</Link>
					)}
					{change}
				</span>
				<span className="block text-xs text-ink-3 tabular-nums">{detail ? unbroken(detail) : '\u00a0'}</span>
			</dd>
		</div>
	)
}

/** Lines break only at the separators between figures, not between a number and its unit. */
function unbroken(detail: string): string {
	return detail
		.split(' · ')
		.map((part) => part.replaceAll(' ', '\u00a0'))
		.join(' · ')
}

type Cost = Pick<Overview, 'cost_nano_usd' | 'unpriced_calls'>

/** Null, which is unknown and not zero, if no call has a price. */
export function costOf({ cost_nano_usd, unpriced_calls }: Cost): string | null {
	return cost_nano_usd === '0' && unpriced_calls > 0 ? null : cost_nano_usd
}

/** For tables: `unpriced` if it is not known, and a dash if there was no model call: then nothing was measured. */
export function shownCost(figures: Cost & Partial<Pick<Overview, 'model_calls'>>): string {
	const cost = costOf(figures)
	if (figures.model_calls === 0 && cost === '0') return formatNanoUsd(null)
	return cost === null ? 'unpriced' : formatNanoUsd(cost)
}

/** For tables: a dash if there was no model call. */
export function shownTokens(figures: Pick<Overview, 'model_calls' | 'tokens'>): string {
	const tokens = allTokens(figures)
	return tokens === 0 && figures.model_calls === 0 ? '–' : formatCompact(tokens)
}

/** The same as a number. */
export function nanoUsdOf(figures: Cost): number | null {
	const cost = costOf(figures)
	return cost === null ? null : Number(cost)
}

/** What the sum leaves out. */
function pricing({ unpriced_calls, model_calls }: Overview): string {
	if (unpriced_calls === model_calls && model_calls > 0) return 'no prices known'
	if (unpriced_calls > 0) return `+ ${formatCount(unpriced_calls)} unpriced`
	return model_calls > 0 ? 'all calls priced' : 'no model calls'
}
